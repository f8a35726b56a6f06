// How a generated file is distinguished from those that people wrote into the same folder.

export const generatedMark = "Generated from the catalog (make generate)";

export function isGenerated(text: string): boolean {
  return text.startsWith(`# ${generatedMark}`);
}
