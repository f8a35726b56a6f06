// Shows the progress of a long step: one line that is redrawn on a terminal, otherwise one line every few seconds.

export type Progress = {
  readonly update: (text: string) => void;
  readonly done: (text: string) => void;
  readonly fail: () => void;
};

type Sink = { readonly isTTY?: boolean; readonly columns?: number; readonly write: (text: string) => unknown };

/** `now` returns milliseconds. `every` returns its stop function. `terminal` is the environment's TERM. */
type Environment = {
  readonly now: () => number;
  readonly every: (milliseconds: number, run: () => void) => () => void;
  readonly terminal: string | undefined;
};

const paceMs = { terminal: 100, log: 5_000 };
const tickMs = { terminal: 1_000, log: 5_000 };

const processEnvironment: Environment = {
  now: performance.now.bind(performance),
  every: (milliseconds, run) => {
    const timer = setInterval(run, milliseconds).unref();
    return () => clearInterval(timer);
  },
  terminal: process.env["TERM"],
};

export function startProgress(name: string, sink: Sink, environment: Environment = processEnvironment): Progress {
  const { now, every, terminal } = environment;
  const isTerminal = sink.isTTY === true && terminal !== "dumb";
  const kind = isTerminal ? "terminal" : "log";
  const start = now();
  let last = start - (isTerminal ? paceMs.terminal : 0);
  let text = "";
  const elapsed = () => duration(now() - start);
  // Truncates the line, because a wrapped line cannot be redrawn.
  const show = (line: string) => sink.write(isTerminal ? `\r\u001b[K${cut(line, sink.columns)}` : `${line}\n`);
  const draw = () => {
    if (now() - last < paceMs[kind]) return;
    last = now();
    show(`  ... ${name}${text === "" ? "" : `: ${text}`}, ${elapsed()}`);
  };
  show(`> ${name}`);
  const stop = every(tickMs[kind], draw);
  const end = (line: string) => {
    stop();
    sink.write(`${isTerminal ? "\r\u001b[K" : ""}${line}\n`);
  };
  return {
    update: (given) => {
      text = given;
      draw();
    },
    done: (result) => end(`  ok: ${name}${result === "" ? "" : ` ${result}`} (${elapsed()})`),
    fail: () => end(`  FAILED: ${name} (${elapsed()})`),
  };
}

/** A terminal of `script` reports 0 columns. */
function cut(line: string, columns: number | undefined): string {
  const width = columns === undefined || columns === 0 ? 80 : columns;
  return line.length < width ? line : `${line.slice(0, width - 2)}…`;
}

function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  return `${Math.floor(seconds / 60)}m${Math.floor(seconds % 60)}s`;
}
