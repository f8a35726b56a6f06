// What can be told of a JSON text by reading over it: how deep and how wide it is, and members given twice.

type Open = (Set<string> | undefined)[];

/** Of any text, and without building anything: what is too deep or too wide need not be parsed. */
export function measureJson(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfText(text, at) - 1;
    else if (sign === comma) values++;
    else if (sign === openMap || sign === openList) {
      values++; // at least: an empty one counts as if something were in it
      deepest = Math.max(deepest, ++depth);
    } else if (sign === closeMap || sign === closeList) depth--;
  }
  return { depth: deepest, values };
}

const [quote, comma, openMap, closeMap, openList, closeList] = ['"', ",", "{", "}", "[", "]"].map((sign) =>
  sign.charCodeAt(0),
);

/** The first member that is given twice, in a text that JSON.parse accepts. */
export function duplicateIn(text: string): string | undefined {
  const open: Open = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfText(text, at);
      const duplicate = duplicateAt(text, { at, end }, open);
      if (duplicate !== undefined) return duplicate;
      at = end - 1;
    } else if (sign === "{" || sign === "[") open.push(undefined);
    else if (sign === "}" || sign === "]") open.pop();
  }
  return undefined;
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
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
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
