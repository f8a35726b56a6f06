// The log: one line of JSON for each record, or the same for people to read. Nothing secret passes through here.

import { pino } from "pino";
import type { Clock } from "../clock.ts";
import { loggable, loggableText } from "./loggable.ts";
import { pretty } from "./pretty.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export type LogFormat = "json" | "pretty";

/** Anything may be given: errors with their causes, objects of the cluster, requests. An error belongs under `error`. */
export type Fields = Readonly<Record<string, unknown>>;

type Write = (message: string, fields?: Fields) => void;

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
export function levelOf(flag: string): LogLevel | undefined {
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
export function formatOf(flag: string): LogFormat | undefined {
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
