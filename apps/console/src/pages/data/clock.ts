// One clock for a page. It ticks every second and renders only components whose text changes.

import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the same value within a second, so that all components render together. */
function thisSecond(): number {
  return Math.floor(Date.now() / 1_000) * 1_000;
}

/** Returns the time in milliseconds, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, thisSecond);
}

/** Renders the component again only if the text changes. `now` is in milliseconds. */
export function useTimeText(textAt: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(thisSecond()));
}
