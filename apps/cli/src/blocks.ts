// The building blocks of human-readable output: text, lists and tables.

/** How a string is styled on a terminal. Output without colors must carry the same meaning. */
export type TextStyle = "good" | "bad" | "warning" | "dim" | "bold" | "plain";
export type StyledText = string | { readonly text: string; readonly style: TextStyle };

export type Block =
  | { readonly kind: "lines"; readonly lines: readonly (readonly StyledText[])[] }
  | {
      readonly kind: "table";
      readonly head: readonly string[];
      readonly rows: readonly (readonly StyledText[])[];
      readonly wide?: { readonly head: readonly string[]; readonly rows: readonly (readonly StyledText[])[] };
    }
  | { readonly kind: "diff"; readonly text: string }
  | { readonly kind: "next"; readonly text: string };

type BlockLine = StyledText | readonly StyledText[];

export function textBlock(...lines: readonly BlockLine[]): Block {
  return { kind: "lines", lines: lines.map((line) => [line].flat() as readonly StyledText[]) };
}

export function listBlock(title: StyledText, lines: readonly BlockLine[]): Block {
  return lines.length === 0 ? textBlock() : textBlock(title, ...lines);
}

export function nextBlock(text: string): Block {
  return { kind: "next", text };
}
