// Finds JSON in the middle of texts, such as an error message that quotes a request.

/** A map, a list, or a string that has quotes inside. */
export type Piece = { readonly text: string } | { readonly json: object | string };

// Looking for an end costs the rest of the text each time.
const mostTries = 20;

/** The pieces of a text in their order; JSON that is cut or malformed is text. */
export function splitJson(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let rest = 0;
  for (let tries = 0, at = nextStart(text, 0); at >= 0 && tries < mostTries; tries++) {
    const end = endOf(text, at);
    const json = end === undefined ? undefined : parsed(text.slice(at, end));
    if (json !== undefined && end !== undefined) {
      pieces.push({ text: text.slice(rest, at) }, { json });
      rest = end;
    }
    at = nextStart(text, json === undefined ? at + 1 : rest);
  }
  return [...pieces, { text: text.slice(rest) }];
}

function nextStart(text: string, from: number): number {
  const start = /[{[]|"(?=[^"\\]*\\)/g;
  start.lastIndex = from;
  return start.exec(text)?.index ?? -1;
}

/** Behind the bracket or quote that closes the one at `start`; brackets in strings do not count. */
function endOf(text: string, start: number): number | undefined {
  const marks = /["{}[\]]|\\./gs;
  marks.lastIndex = start;
  let depth = 0;
  let isString = false;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') isString = !isString;
    else if (!isString && !mark[0].startsWith("\\")) depth += mark[0] === "{" || mark[0] === "[" ? 1 : -1;
    if (depth === 0 && !isString) return marks.lastIndex;
  }
  return undefined;
}

function parsed(text: string): object | string | undefined {
  try {
    return JSON.parse(text) as object | string;
  } catch {
    return undefined; // only looks like it
  }
}
