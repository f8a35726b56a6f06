// What JSON.parse hides of a text: members given twice, and how deep it goes.

export type Scan = { readonly depth: number; readonly duplicate?: string };

type Open = (Set<string> | undefined)[];

/** For a text that JSON.parse accepts. */
export function scanJson(text: string): Scan {
  const open: Open = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfText(text, at);
      const duplicate = duplicateAt(text, { at, end }, open);
      if (duplicate !== undefined) return { depth, duplicate };
      at = end - 1;
    } else if (sign === "{" || sign === "[") depth = Math.max(depth, open.push(undefined));
    else if (sign === "}" || sign === "]") open.pop();
  }
  return { depth };
}

function duplicateAt(
  text: string,
  { at, end }: { readonly at: number; readonly end: number },
  open: Open,
): string | undefined {
  const key = isKey(text, end) ? readText(text.slice(at, end)) : undefined;
  return key !== undefined && isKnown(open, key) ? key : undefined;
}

// Most maps of a text made to be slow are empty, so a set is made for the first key only.
function isKnown(open: Open, key: string): boolean {
  const keys = open.at(-1);
  if (keys === undefined) open[open.length - 1] = new Set([key]);
  else if (keys.has(key)) return true;
  else keys.add(key);
  return false;
}

function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++;
  return text[at] === ":";
}

// "\u006fp" is the same member as "op".
function readText(literal: string): string {
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}
