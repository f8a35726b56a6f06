// Observers that do nothing, for tests that do not need them.

import { Breakers } from "../circuitbreaker/breaker.ts";
import type { Clock } from "../clock.ts";
import type { WorkQueueObserver } from "../workqueue/work-queue.ts";

export const silentBreakers = (clock: Clock) =>
  new Breakers({ clock, observer: { opened: () => undefined, closed: () => undefined } });

export const silentQueueObserver: WorkQueueObserver = {
  added: () => undefined,
  retried: () => undefined,
  taken: () => undefined,
  worked: () => undefined,
};
