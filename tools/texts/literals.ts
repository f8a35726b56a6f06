// Finds string and template literals in TypeScript with a tokenizer, not a parser.

export type Literal = {
  readonly text: string; // an interpolation is shown as <its expression>
  readonly line: number;
  /** The preceding code, without trailing spaces, which shows the literal's role. */
  readonly before: string;
};

/** Throws if a literal has no end, because the tokens are then wrong. */
export function literalsOf(source: string): readonly Literal[] {
  const found: Literal[] = [];
  readCode({ source, at: 0, found }, undefined);
  return found.toSorted((left, right) => left.line - right.line);
}

type Reading = { readonly source: string; at: number; readonly found: Literal[] };

function readCode(reading: Reading, until: "}" | undefined): void {
  const { source } = reading;
  let depth = 0;
  while (reading.at < source.length) {
    const sign = source[reading.at] ?? "";
    if (sign === "}" && until !== undefined && depth === 0) return;
    if (sign === "{") depth++;
    if (sign === "}") depth--;
    if (source.startsWith("//", reading.at)) skipPast(reading, "\n");
    else if (source.startsWith("/*", reading.at)) skipPast(reading, "*/");
    else if (sign === '"' || sign === "'") keep(reading, readString);
    else if (sign === "`") keep(reading, readTemplate);
    else if (sign === "/" && isRegexHere(source, reading.at)) skipRegex(reading);
    else reading.at++;
  }
  if (until !== undefined) throw new Error("an interpolation has no end");
}

function skipPast(reading: Reading, mark: string): void {
  const end = reading.source.indexOf(mark, reading.at);
  reading.at = end === -1 ? reading.source.length : end + mark.length;
}

function keep(reading: Reading, read: (reading: Reading) => string): void {
  const { source, at, found } = reading;
  const line = source.slice(0, at).split("\n").length;
  const before = source.slice(Math.max(0, at - 300), at).replace(/\s+/g, "");
  found.push({ text: read(reading), line, before });
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0" };

function readString(reading: Reading): string {
  const { source } = reading;
  const quote = source[reading.at++];
  let text = "";
  for (;;) {
    const sign = source[reading.at];
    if (sign === undefined || sign === "\n") throw new Error(`a string has no end: ${text}`);
    reading.at++;
    if (sign === quote) return text;
    text += sign === "\\" ? readEscape(reading) : sign;
  }
}

function readEscape(reading: Reading): string {
  const sign = reading.source[reading.at++] ?? "";
  return escapes[sign] ?? sign;
}

function readTemplate(reading: Reading): string {
  const { source } = reading;
  reading.at++;
  let text = "";
  while (reading.at < source.length) {
    const sign = source[reading.at] ?? "";
    if (sign === "`") {
      reading.at++;
      return text;
    }
    if (source.startsWith("${", reading.at)) text += readInterpolation(reading);
    else {
      reading.at++;
      text += sign === "\\" ? readEscape(reading) : sign;
    }
  }
  throw new Error(`a template has no end: ${text.slice(0, 40)}`);
}

const longestExpression = 30;

function readInterpolation(reading: Reading): string {
  const start = reading.at + 2;
  reading.at = start;
  readCode(reading, "}");
  const expression = reading.source
    .slice(start, reading.at++)
    .replace(/\s+/g, " ")
    .trim();
  return expression.length <= longestExpression ? `<${expression}>` : "<…>";
}

/** A slash after a value divides. Otherwise, it starts a regular expression. */
function isRegexHere(source: string, at: number): boolean {
  const before = source.slice(Math.max(0, at - 20), at).trimEnd();
  return before === "" || /[(,=:[!&|?{};+>]$/.test(before) || /\b(?:return|case|typeof)$/.test(before);
}

function skipRegex(reading: Reading): void {
  const { source } = reading;
  let isInClass = false;
  reading.at++;
  for (;;) {
    const sign = source[reading.at++];
    if (sign === undefined || sign === "\n") throw new Error("a regular expression has no end");
    if (sign === "\\") reading.at++;
    else if (sign === "[") isInClass = true;
    else if (sign === "]") isInClass = false;
    else if (sign === "/" && !isInClass) return;
  }
}
