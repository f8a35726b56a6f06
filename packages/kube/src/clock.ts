// The clock interface, MicroTime, and elapsed time that includes suspends and clock changes.

/** Cancels a `schedule`. Has no effect if the call has already run. */
export type Cancel = () => void;

/** A clock, to be passed as an argument: `systemClock` in a process, a virtual clock in tests. */
export type Clock = {
  /** Milliseconds since 1970. Can jump forward or back. */
  readonly wall: () => number;
  /** Milliseconds since an arbitrary start. Never decreases. Stops while the machine is suspended. */
  readonly monotonic: () => number;
  /**
   * Calls `run` once after `ms`, rounded up. It may run slightly early by `monotonic`, so check again if that matters.
   * A pending call keeps the process alive.
   */
  readonly schedule: (ms: number, run: () => void) => Cancel;
};

// Node runs a timer with a longer delay immediately.
const longestTimeoutMs = 2 ** 31 - 1;

/** The clock of the process. Delays may exceed the limit of `setTimeout` (24.8 days). */
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

/** Formats a time with six fractional digits. The API server rejects a Lease or Event with only three. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace("Z", "000Z");
}

export type ClockReading = { readonly monotonicMs: number; readonly wallMs: number };

/** Elapsed time. `totalMs` never decreases. The difference between two totals is at least the time between the readings. */
export type Elapsed = { readonly totalMs: number; readonly lowMs: number; readonly jumpedMs: number };

/** Smaller differences are not jumps, because wall time has only whole milliseconds. */
const noiseMs = 2;

export function startElapsed(reading: ClockReading): Elapsed {
  return { totalMs: reading.monotonicMs, lowMs: offsetOf(reading), jumpedMs: 0 };
}

/**
 * Adds each gain of the wall clock to monotonic time, because monotonic time stops during a suspend. The gain is
 * measured from the lowest offset since the last jump, so that a clock that was set back cannot hide it. Jumps between
 * two readings can cancel out, so take readings often.
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
