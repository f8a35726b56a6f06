// Shows records of the log to people: time, level, controller, message, then the fields; errors below, with their causes.

type LoggedError = {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: unknown;
};

const colours: Readonly<Record<string, number>> = { debug: 90, info: 32, warn: 33, error: 31 };
const dim = 2;

/** `line` is one record of the log, as JSON. */
export function pretty(line: string, isColoured: boolean): string {
  const { time, level, controller, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const paint = (code: number | undefined, text: string) =>
    isColoured && code !== undefined ? `\u001B[${code}m${text}\u001B[0m` : text;
  const name = String(level);
  const head = [
    paint(dim, String(time).slice(11, 23)),
    paint(colours[name], name.toUpperCase().padEnd(5)),
    ...(controller === undefined ? [] : [paint(dim, told(controller))]),
    visible(typeof msg === "string" ? msg : ""),
  ];
  const entries = Object.entries(fields);
  const pairs = pairsOf(Object.fromEntries(entries.filter(([, value]) => !isError(value))));
  const errors = entries.flatMap(([, value]) => (isError(value) ? traceOf(value) : []));
  return [[...head, ...pairs.map((pair) => paint(dim, pair))].join(" "), ...errors, ""].join("\n");
}

/** https://no-color.org: any value but the empty one says no. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  return isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

function told(value: unknown): string {
  const isBare = typeof value === "string" && /^[^\s"'=]+$/.test(value);
  return visible(isBare ? value : JSON.stringify(value));
}

function isError(value: unknown): value is LoggedError {
  const { type, message, stack } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return [type, message, stack].every((part) => typeof part === "string");
}

function traceOf(error: LoggedError, word = ""): readonly string[] {
  const [first = "", ...frames] = error.stack.split("\n").map(visible);
  const own = Object.entries(error).filter(([key]) => !shownAnyway.has(key));
  const lines = [
    [`  ${word}${first}`, ...pairsOf(Object.fromEntries(own))].join(" "),
    ...frames.map((one) => `  ${one}`),
  ];
  if (error.cause === undefined) return lines;
  return [
    ...lines,
    ...(isError(error.cause) ? traceOf(error.cause, "caused by ") : [`  caused by ${told(error.cause)}`]),
  ];
}

const shownAnyway: ReadonlySet<string> = new Set(["type", "message", "stack", "cause"]);

function pairsOf(fields: object): readonly string[] {
  return Object.entries(fields).map(([key, value]) => `${visible(key)}=${told(value)}`);
}

// Logged texts come from anywhere: they must not move a terminal's cursor, or turn the line around.
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => {
    const code = (one.codePointAt(0) ?? 0).toString(16);
    return one === "\n" ? "\\n" : `\\u{${code}}`;
  });
}
