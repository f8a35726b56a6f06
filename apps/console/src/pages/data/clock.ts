// A clock shared by all components on a page. It ticks every second, and only components whose text changes re-render.

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

/** Returns the same value for a whole second, so that all components show the same time. */
function thisSecond(): number {
  return Math.floor(Date.now() / 1_000) * 1_000;
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, thisSecond);
}

/** Returns the text, and re-renders the component only when it changes. `now` is in milliseconds. */
export function useTimeText(textAt: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(thisSecond()));
}
