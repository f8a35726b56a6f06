// The clock port: everything that waits or measures takes it, so that tests decide how time passes. Also MicroTime, and elapsed time
// that neither a suspended machine nor a clock that was set can hide.

/** Undoes a `schedule`. Harmless when the call has been made already. */
export type Cancel = () => void;

/** Time as an argument: `systemClock` in a process, a virtual one in tests. */
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

/** The clocks and timers of the process. */
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

/** Six fractional digits: with the three of `toISOString` the API server answers 400 to a Lease or an Event. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace("Z", "000Z");
}

export type ClockReading = { readonly monotonicMs: number; readonly wallMs: number };

/** `totalMs` only grows. The difference of two totals is the time between them, or more. */
export type Elapsed = { readonly totalMs: number; readonly lowMs: number; readonly jumpedMs: number };

/** The wall clock goes in whole milliseconds: less than this is no jump. */
const noiseMs = 2;

export function startElapsed(reading: ClockReading): Elapsed {
  return { totalMs: reading.monotonicMs, lowMs: offsetOf(reading), jumpedMs: 0 };
}

/**
 * Monotonic time, and on top of it whatever the wall clock ran ahead of it: a suspended machine stops the one only. Taking
 * the larger of both since the start would be fooled by a wall clock that was set back before the machine was suspended,
 * so the wall clock counts from its lowest point, anew after each jump. Hidden stays only what happens between two looks:
 * look often.
 */
export function advanceElapsed(was: Elapsed, reading: ClockReading): Elapsed {
  const offset = offsetOf(reading);
  const low = Math.min(was.lowMs, offset);
  const ahead = offset - low;
  const isJump = ahead >= noiseMs;
  const totalMs = Math.max(was.totalMs, reading.monotonicMs + was.jumpedMs + ahead);
  return isJump ? { totalMs, lowMs: offset, jumpedMs: was.jumpedMs + ahead } : { ...was, totalMs, lowMs: low };
}

function offsetOf({ monotonicMs, wallMs }: ClockReading): number {
  return wallMs - monotonicMs;
}
