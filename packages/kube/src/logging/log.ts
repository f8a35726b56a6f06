// The log: JSON lines, or lines for people on a terminal.

import { pino } from "pino";
import type { Clock } from "../clock.ts";
import { loggable, loggableText } from "./loggable.ts";

/** Lines below the level are dropped. */
export type LogLevel = "debug" | "info" | "warn" | "error";

export type LogFormat = "json" | "pretty";

/** Anything may be given: errors with their causes, objects of the cluster, requests. An error belongs under `error`. */
export type Fields = Readonly<Record<string, unknown>>;

type Write = (message: string, fields?: Fields) => void;

/** Structured log: a message and fields. `error` takes what was thrown in the field `error`. */
export type Log = Readonly<Record<LogLevel, Write>> & {
  /** Each of its records carries these fields: the `controller`, the `key` in work. */
  readonly child: (fields: Fields) => Log;
};

export type LogSettings = {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Counts only where the format is pretty. */
  readonly isColoured: boolean;
  readonly clock: Clock;
  /** Gets whole lines, each with its end. */
  readonly write: (line: string) => void;
};

/** Writes one line per call to `write`. Secrets are redacted before they reach it. */
export function createLog({ level, format, isColoured, clock, write }: LogSettings): Log {
  const settings = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date(clock.wall()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const stream = { write: format === "json" ? write : (line: string) => write(pretty(line, isColoured)) };
  return wrap(pino(settings, stream));
}

/** `debug`, `info`, `warn`, `error`, and what zap's flags call them; a number is zap's verbosity. */
export function logLevelOf(flag: string): LogLevel | undefined {
  if (/^[1-9]\d*$/.test(flag)) return "debug";
  return levels.get(flag.toLowerCase());
}

const levels: ReadonlyMap<string, LogLevel> = new Map([
  ["debug", "debug"],
  ["info", "info"],
  ["warn", "warn"],
  ["warning", "warn"],
  ["error", "error"],
  ["dpanic", "error"],
  ["panic", "error"],
  ["fatal", "error"],
]);

/** `json`, `pretty`, and zap's `console`. */
export function logFormatOf(flag: string): LogFormat | undefined {
  if (flag === "console") return "pretty";
  return flag === "json" || flag === "pretty" ? flag : undefined;
}

// What pino gets is plain and clean already: it can leak nothing, and cannot be surprised.
function wrap(logger: pino.Logger): Log {
  const at =
    (level: LogLevel): Write =>
    (message, fields = {}) => {
      if (logger.isLevelEnabled(level)) logger[level](clean(fields), loggableText(message));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => wrap(logger.child(clean(fields))),
  };
}

const ownNames: ReadonlySet<string> = new Set(["level", "time", "msg"]);

function clean(fields: Fields): Record<string, unknown> {
  const entries = Object.entries(loggable(fields) as Fields);
  return Object.fromEntries(entries.map(([name, value]) => [ownNames.has(name) ? `${name}_` : name, value]));
}

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
    ...(controller === undefined ? [] : [paint(dim, textOf(controller))]),
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

function textOf(value: unknown): string {
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
    ...(isError(error.cause) ? traceOf(error.cause, "caused by ") : [`  caused by ${textOf(error.cause)}`]),
  ];
}

const shownAnyway: ReadonlySet<string> = new Set(["type", "message", "stack", "cause"]);

function pairsOf(fields: object): readonly string[] {
  return Object.entries(fields).map(([key, value]) => `${visible(key)}=${textOf(value)}`);
}

// Logged texts come from anywhere: they must not move a terminal's cursor, or turn the line around.
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => {
    const code = (one.codePointAt(0) ?? 0).toString(16);
    return one === "\n" ? "\\n" : `\\u{${code}}`;
  });
}
