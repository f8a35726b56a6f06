export const code = (text: string): string => `\`${text}\``;

/** Formats an annotation key as code. Keeps plain text, which contains a space. */
export const word = (text: string): string => (text === "none" || text.includes(" ") ? text : code(text));

export function line(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
