// The clock port: everything that waits or measures takes it, so that tests decide how time passes.

/** Undoes a `schedule`. Harmless when the call has been made already. */
export type Cancel = () => void;

export type Clock = {
  /** Milliseconds since 1970. It may jump, forward and back. */
  readonly wall: () => number;
  /** Milliseconds since some moment. It never goes back, and it stands still while the machine is suspended. */
  readonly monotonic: () => number;
  /**
   * Calls `run` once, `ms` from now, in whole milliseconds upwards. It may come a moment early by the measure of
   * `monotonic`: whoever needs the exact time looks again. It keeps the process alive, because somebody waits for it;
   * what need not be waited for any more is cancelled.
   */
  readonly schedule: (ms: number, run: () => void) => Cancel;
};

/** Resolves after `ms`, or as soon as the signal is aborted: ask the signal which of the two it was. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = () => {
      cancel();
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = clock.schedule(ms, wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

// Node calls at once what is set for later than this.
const longestTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (ms, run) => {
    let timer = start(Math.max(0, Math.ceil(ms)));
    function start(left: number): NodeJS.Timeout {
      if (left <= longestTimeoutMs) return setTimeout(run, left);
      return setTimeout(() => {
        timer = start(left - longestTimeoutMs);
      }, longestTimeoutMs);
    }
    return () => clearTimeout(timer);
  },
};
