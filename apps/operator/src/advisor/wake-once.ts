import type { Clock } from "@virt/kube";

/** Returns a function that combines all calls of the next milliseconds into one wake-up. */
export function wakeOnce(clock: Pick<Clock, "schedule">, delayMs: number, wake: () => void): () => void {
  let isWaking = false;
  return () => {
    if (isWaking) return;
    isWaking = true;
    clock.schedule(delayMs, () => {
      isWaking = false;
      wake();
    });
  };
}
