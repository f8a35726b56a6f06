// The structured log, as JSON lines or in a readable format for terminals.

import { pino } from "pino";
import type { Clock } from "../clock.ts";
import { loggable, loggableText } from "./loggable.ts";

/** The level of a log record. A log drops records below its own level. */
export type LogLevel = "debug" | "info" | "warn" | "error";

export type LogFormat = "json" | "pretty";

/** Accepts any value, such as errors, Kubernetes objects and requests. Put an exception in the field `error`. */
export type Fields = Readonly<Record<string, unknown>>;

type Write = (message: string, fields?: Fields) => void;

/** Writes log records. Removes secrets from fields and messages. */
export type Log = Readonly<Record<LogLevel, Write>> & {
  /** Adds these fields to each record, such as `controller` and `key`. */
  readonly child: (fields: Fields) => Log;
};

export type LogSettings = {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly isColoured: boolean;
  readonly clock: Clock;
  /** Receives complete lines with their newline. */
  readonly write: (line: string) => void;
};

/** Returns a log that writes one line per call to `write`. Redacts secrets first. */
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

// Passes only plain, redacted data to pino, so that it cannot leak a secret or fail on a value.
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

// Escapes control characters, so that logged text cannot move the cursor or reverse the text direction.
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => {
    const code = (one.codePointAt(0) ?? 0).toString(16);
    return one === "\n" ? "\\n" : `\\u{${code}}`;
  });
}
