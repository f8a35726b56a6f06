// The alert that a controller has in any case: nobody does its work.

import { type Alert, last } from "./alert.ts";

export type Controller = { readonly alert: string; readonly prefix: string; readonly words: string };

/** A process that is gone takes its series along, so their absence counts. */
export function noLeader({ alert, prefix, words }: Controller): Alert {
  const leader = last(`${prefix}leader`);
  return {
    alert,
    expr: `max(${leader}) < 1 or absent(${leader})`,
    lasting: "10m",
    severity: "warning",
    impact: "critical",
    summary: `No replica of the ${words} controller works.`,
    description: `For 10 minutes no replica of the ${words} controller has held its lease, or none could be scraped. Nothing that is already applied is lost, but nothing is watched or corrected.`,
  };
}
