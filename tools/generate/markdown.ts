// Cells and lines of the tables that are generated into documents.

export const code = (text: string): string => `\`${text}\``;

/** A key of an annotation; what has a blank in it is said in words. */
export const word = (text: string): string => (text === "none" || text.includes(" ") ? text : code(text));

export function line(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
