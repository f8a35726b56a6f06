// What would be done with an object now, and why, without doing it.

import type { KubeObject, Ref } from "@virt/api";
import { fullBucket } from "@virt/engine";
import { type Intended, intend } from "../baseline/intent.ts";
import { judge } from "../baseline/judge.ts";
import type { ObjectMemory } from "../baseline/object-seen.ts";
import { readOverrides } from "../baseline/overrides.ts";
import { seeObject, shapeOfObject } from "../baseline/see-object.ts";
import { readState } from "../baseline/state.ts";
import type { Verdict } from "../baseline/verdict.ts";
import { type Evaluated, evaluateObject, type ManagedObject } from "../evaluate/evaluate-object.ts";
import type { World } from "../evaluate/world.ts";

export type Preview = {
  readonly object: ManagedObject;
  readonly live: KubeObject | undefined;
  readonly evaluated: Evaluated;
  /** Absent while no asset of it is active, or one of them is held. */
  readonly judged?: { readonly verdict: Verdict; readonly intended?: Intended };
};

export type Previewing = {
  readonly world: World;
  readonly now: number;
  /** What a running controller remembers of the object. */
  readonly memory?: ObjectMemory | undefined;
  /** How the object stands, where somebody knows already. */
  readonly evaluated?: Evaluated | undefined;
  /** Why nobody can say whether the object is there; undefined: its absence means something. */
  readonly trouble?: ((ref: Ref) => string | undefined) | undefined;
};

const noMemory: ObjectMemory = { bucket: fullBucket, wasThere: false };

/** The controller's own evaluation and verdict, on the same facts. */
export function previewObject(object: ManagedObject, previewing: Previewing): Preview {
  const { world, now, memory = noMemory, trouble } = previewing;
  const evaluated =
    previewing.evaluated ??
    evaluateObject(object, { world, shapeOf: shapeOfObject(object, world), lastKnown: new Map() });
  const live = world.live(object.ref);
  const { wanted } = evaluated;
  if (wanted.kind !== "object") return { object, live, evaluated };
  const message = trouble?.(object.ref);
  if (message !== undefined)
    return { object, live, evaluated, judged: { verdict: { kind: "held", reason: "InputUnavailable", message } } };
  const seen = seeObject(object, wanted, { world, now, memory });
  const intended = intend(seen, readOverrides(live), readState(live));
  return { object, live, evaluated, judged: { verdict: judge(seen), intended } };
}
