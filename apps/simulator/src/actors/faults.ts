// Plays the scenario's faults: sets and takes away annotations at their times.

import type { Agenda } from "../agenda.ts";
import type { Fault } from "../scenario.ts";
import type { Wish } from "../wish.ts";
import { faultPrefix, type World } from "../world.ts";

/** Each is played once: what a person changes afterwards stays. */
export function faults(world: World, agenda: Agenda): readonly Wish[] {
  return world.scenario.faults.flatMap((fault, place) => {
    const key = `fault ${place}`;
    const object = world
      .of(fault.kind)
      .find(({ metadata }) => metadata.name === fault.name && metadata.namespace === fault.namespace);
    const isDue = object !== undefined && !world.made.has(key) && agenda.passed(key, fault.afterSeconds * 1000);
    if (!isDue) return [];
    const annotations = { [`${faultPrefix}${fault.annotation}`]: fault.value };
    return [
      {
        kind: "set",
        object,
        fields: { metadata: { annotations } },
        manager: "simulator",
        key,
        event: eventOf(fault),
      } as const,
    ];
  });
}

function eventOf({ kind, name, annotation, value }: Fault): string {
  return `${kind} ${name}: ${annotation} ${value === null ? "is over" : "begins"}`;
}
