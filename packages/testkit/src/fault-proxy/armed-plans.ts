// The plans that wait for their moment: counts what passes and says which fault a request is to suffer.

import { type Call, isWrite } from "./call.ts";
import { type Fault, fits, isAfter, type Plan } from "./plan.ts";

/**
 * `strikes` is asked once the API server has answered, with whether this was an effective write: a plan for the k-th
 * effective write spares one that was refused and goes on waiting.
 */
export type Claim = { readonly fault: Fault; readonly strikes: (isEffective: boolean) => boolean };

type Armed = { readonly plan: Plan; seen: number; state: "waiting" | "claimed" | "fired" };

export class ArmedPlans {
  #armed: Armed[] = [];

  /** Returns whether the plan has fired so far. */
  arm(plan: Plan): () => boolean {
    const armed: Armed = { plan, seen: 0, state: "waiting" };
    this.#armed.push(armed);
    return () => armed.state === "fired";
  }

  disarm(): void {
    this.#armed = [];
  }

  /** To be asked once for each request, when it comes in. Of several due plans the first armed one is taken. */
  claim(call: Call): Claim | undefined {
    const [first] = this.#armed.filter((armed) => isDue(armed, call));
    if (first === undefined) return undefined;
    const { fault, trigger } = first.plan;
    if (trigger.on === "write" && isAfter(fault)) return { fault, strikes: awaitEffect(first) };
    first.state = "fired";
    return { fault, strikes: () => true };
  }

  /** To be told of each effective write when it is answered. */
  written(call: Call): void {
    for (const armed of this.#armed) {
      const { trigger } = armed.plan;
      if (trigger.on === "write" && fits(trigger.matching, call)) armed.seen++;
    }
  }
}

function isDue(armed: Armed, call: Call): boolean {
  const { trigger } = armed.plan;
  if (!fits(trigger.matching, call)) return false;
  switch (trigger.on) {
    case "every":
      return true;
    case "request":
      armed.seen++;
      return armed.seen === trigger.number;
    case "write":
      return armed.state === "waiting" && isWrite(call) && armed.seen === trigger.number - 1;
  }
}

/** Nobody else gets the fault while the answer is awaited. */
function awaitEffect(armed: Armed): Claim["strikes"] {
  armed.state = "claimed";
  return (isEffective) => {
    armed.state = isEffective ? "fired" : "waiting";
    return isEffective;
  };
}
