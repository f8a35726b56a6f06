// Measures how much time has gone by so that neither a suspended machine nor a clock that was set can hide any of it.

export type Reading = { readonly monotonicMs: number; readonly wallMs: number };

/** `totalMs` only grows. The difference of two totals is the time between them, or more. */
export type Elapsed = { readonly totalMs: number; readonly lowMs: number; readonly jumpedMs: number };

/** The wall clock goes in whole milliseconds: less than this is no jump. */
const noiseMs = 2;

export function startElapsed(reading: Reading): Elapsed {
  return { totalMs: reading.monotonicMs, lowMs: offsetOf(reading), jumpedMs: 0 };
}

/**
 * Monotonic time, and on top of it whatever the wall clock ran ahead of it: a suspended machine stops the one only. Taking
 * the larger of both since the start would be fooled by a wall clock that was set back before the machine was suspended,
 * so the wall clock counts from its lowest point, anew after each jump. Hidden stays only what happens between two looks:
 * look often.
 */
export function observe(was: Elapsed, reading: Reading): Elapsed {
  const offset = offsetOf(reading);
  const low = Math.min(was.lowMs, offset);
  const ahead = offset - low;
  const isJump = ahead >= noiseMs;
  const totalMs = Math.max(was.totalMs, reading.monotonicMs + was.jumpedMs + ahead);
  return isJump ? { totalMs, lowMs: offset, jumpedMs: was.jumpedMs + ahead } : { ...was, totalMs, lowMs: low };
}

function offsetOf({ monotonicMs, wallMs }: Reading): number {
  return wallMs - monotonicMs;
}
