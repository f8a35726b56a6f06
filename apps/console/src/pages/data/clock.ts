// One clock for all of a page: it ticks each second, and only what shows another text by then is rendered again.

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

/** The same for all who ask within a second, so that they are rendered together. */
function thisSecond(): number {
  return Math.floor(Date.now() / 1_000) * 1_000;
}

/** Milliseconds, renewed each second: ages and times in a phase go on. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, thisSecond);
}

/** A text that depends on the time in milliseconds: the component is rendered again when the text is another one. */
export function useTimeText(textAt: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(thisSecond()));
}
