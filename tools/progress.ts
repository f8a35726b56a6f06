// Shows one long step: on a terminal a line that renews itself, elsewhere a line every few seconds.

export type Progress = {
  readonly update: (text: string) => void;
  readonly done: (text: string) => void;
  readonly fail: () => void;
};

type Sink = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

const paceMs = { terminal: 100, log: 5_000 };

/** `now` counts in milliseconds. */
export function startProgress(
  name: string,
  sink: Sink,
  now: () => number = performance.now.bind(performance),
): Progress {
  const isTerminal = sink.isTTY === true;
  const start = now();
  let last = start - (isTerminal ? paceMs.terminal : 0);
  const elapsed = () => duration(now() - start);
  const clear = isTerminal ? "\r\u001b[K" : "";
  sink.write(`> ${name}\n`);
  return {
    update: (text) => {
      if (now() - last < (isTerminal ? paceMs.terminal : paceMs.log)) return;
      last = now();
      sink.write(`${clear}  ... ${name}: ${text}, ${elapsed()}${isTerminal ? "" : "\n"}`);
    },
    done: (text) => sink.write(`${clear}  ok: ${name} ${text} (${elapsed()})\n`),
    fail: () => sink.write(`${clear}  FAILED: ${name} (${elapsed()})\n`),
  };
}

function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  return `${Math.floor(seconds / 60)}m${Math.floor(seconds % 60)}s`;
}
