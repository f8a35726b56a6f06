// Reports user input to the standalone server, which ends a session without activity.

const reportEveryMs = 60_000;
const inputs = ["pointerdown", "pointermove", "keydown", "wheel"] as const;

/** Reports the first input, then subsequent input at most once a minute. */
export function reportActivity(target: EventTarget, now: () => number, report: () => void): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const listen = () => {
    if (now() - reportedAt < reportEveryMs) return;
    reportedAt = now();
    report();
  };
  for (const input of inputs) target.addEventListener(input, listen, { passive: true });
}
