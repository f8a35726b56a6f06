// Tells the standalone server that a person uses the page: the session ends without it.

const reportEveryMs = 60_000;
const inputs = ["pointerdown", "pointermove", "keydown", "wheel"] as const;

/** Calls `report` for the first input, then for input that comes at least a minute after the last report. */
export function reportActivity(target: EventTarget, now: () => number, report: () => void): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const listen = () => {
    if (now() - reportedAt < reportEveryMs) return;
    reportedAt = now();
    report();
  };
  for (const input of inputs) target.addEventListener(input, listen, { passive: true });
}
