// Patterns with * ? and [...] over the whole of a name. Never slow: no pattern makes the match go back further than one star.

/** One sign of a name: any, or one of some ranges. */
type One = { readonly ranges: readonly (readonly [string, string])[]; readonly isNot: boolean };
type Token = "many" | One;

export type Glob = readonly Token[];

const any: One = { ranges: [], isNot: true };
const longest = 512;

/** Undefined if it is no pattern: a class without end or content, a range that goes backwards, a backslash at the end. */
export function readGlob(pattern: string): Glob | undefined {
  if (pattern.length > longest) return undefined;
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const sign = pattern[at] ?? "";
    if (sign === "[") {
      const found = readClass(pattern, at + 1);
      if (found === undefined) return undefined;
      tokens.push(found.one);
      at = found.end;
    } else if (sign === "*") {
      if (tokens.at(-1) !== "many") tokens.push("many");
      at++;
    } else if (sign === "?") {
      tokens.push(any);
      at++;
    } else {
      const found = readSign(pattern, at);
      if (found === undefined) return undefined;
      tokens.push({ ranges: [[found.sign, found.sign]], isNot: false });
      at = found.end;
    }
  }
  return tokens;
}

// A backslash takes the sign behind it as it is.
function readSign(pattern: string, at: number): { readonly sign: string; readonly end: number } | undefined {
  const isEscaped = pattern[at] === "\\";
  const sign = pattern[isEscaped ? at + 1 : at];
  return sign === undefined ? undefined : { sign, end: at + (isEscaped ? 2 : 1) };
}

function readClass(pattern: string, start: number): { readonly one: One; readonly end: number } | undefined {
  const isNot = pattern[start] === "!" || pattern[start] === "^";
  const ranges: [string, string][] = [];
  let at = isNot ? start + 1 : start;
  while (pattern[at] !== "]") {
    const low = readSign(pattern, at);
    if (low === undefined) return undefined;
    const isRange = pattern[low.end] === "-" && pattern[low.end + 1] !== "]";
    const high = isRange ? readSign(pattern, low.end + 1) : low;
    if (high === undefined || high.sign < low.sign) return undefined;
    ranges.push([low.sign, high.sign]);
    at = high.end;
  }
  return ranges.length === 0 ? undefined : { one: { ranges, isNot }, end: at + 1 };
}

export function matchesGlob(glob: Glob, name: string): boolean {
  if (glob.filter((token) => token !== "many").length > name.length) return false;
  let [token, sign] = [0, 0];
  let star: { readonly token: number; sign: number } | undefined;
  while (sign < name.length) {
    const wanted = glob[token];
    if (wanted === "many") {
      star = { token, sign };
      token++;
    } else if (wanted !== undefined && fits(wanted, name[sign] ?? "")) {
      token++;
      sign++;
    } else if (star !== undefined) {
      star.sign++;
      [token, sign] = [star.token + 1, star.sign];
    } else return false;
  }
  return glob.slice(token).every((rest) => rest === "many");
}

function fits({ ranges, isNot }: One, sign: string): boolean {
  return ranges.some(([low, high]) => low <= sign && sign <= high) !== isNot;
}
