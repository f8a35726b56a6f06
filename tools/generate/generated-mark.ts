// Marks generated files in folders that also contain hand-written ones.

export const generatedMark = "Generated from the catalog (make generate)";

export function isGenerated(text: string): boolean {
  return text.startsWith(`# ${generatedMark}`);
}
