import type { Clock } from "@virt/kube";

/** Returns a function that wakes once for all calls within `delayMs`. */
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
