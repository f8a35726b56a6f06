import type { KubeObject } from "@virt/api";
import { objectAnnotations, type Verdict } from "@virt/platform";
import { expect, test } from "vitest";
import type { Kept } from "./acting.ts";
import type { ObjectSigns } from "./metrics.ts";
import { signsOf } from "./signs.ts";

const thing = (annotations: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "T",
  metadata: { name: "t", annotations },
});
const said = (key: keyof typeof objectAnnotations, text: string) => thing({ [objectAnnotations[key]]: text });
const verdict = (one: Verdict): Kept => ({ kind: "verdict", verdict: one });
const held = (reason: string): Kept => verdict({ kind: "held", reason, message: "" });
const failure = (isPermanent: boolean): Kept => ({ kind: "failed", message: "", isPermanent });

const good: ObjectSigns = { compliance: 1, paused: undefined, customizations: [], invalid: [], contested: 2 };
const bad: ObjectSigns = { ...good, compliance: 0 };
const nothing: ObjectSigns = { ...good, compliance: undefined, contested: 0 };

type Case = {
  readonly reason: string;
  readonly kept: Kept;
  readonly live?: KubeObject;
  readonly last?: ObjectSigns;
  readonly isPassing?: boolean;
  readonly signs: ObjectSigns | undefined;
};
const wait = verdict({ kind: "wait", why: "fight", inMs: 1 });

const cases: readonly Case[] = [
  { reason: "what is not managed has no series", kept: { kind: "excluded" }, last: good, signs: undefined },
  { reason: "a write that waits is no failure", kept: wait, last: good, signs: good },
  { reason: "nor does it mend one", kept: wait, last: bad, signs: bad },
  { reason: "a failure that may pass changes nothing", kept: failure(false), last: good, isPassing: true, signs: good },
  { reason: "one that lasts is shown", kept: failure(false), last: good, signs: bad },
  { reason: "one that is for good is shown at once", kept: failure(true), last: good, signs: bad },
  { reason: "an object is in sync though an input is lost", kept: held("InputUnavailable"), last: good, signs: good },
  { reason: "of one held since the start nothing is known", kept: held("InputUnavailable"), signs: nothing },
  {
    reason: "an object that a broken patch holds was in sync and has no patch",
    kept: held("InvalidPatch"),
    live: said("patch", "{"),
    last: { ...good, customizations: ["patch"] },
    signs: { ...good, invalid: ["patch"] },
  },
  {
    reason: "broken pointers do not hide a patch that is in force",
    kept: held("InvalidIgnoreFields"),
    live: thing({ [objectAnnotations.ignoreFields]: "spec", [objectAnnotations.patch]: "[]" }),
    last: good,
    signs: { ...good, customizations: ["patch"], invalid: ["ignore"] },
  },
  {
    reason: "a mode that nobody knows is invalid, and the object is managed",
    kept: verdict({ kind: "in-sync", contested: [], intent: thing() }),
    live: said("mode", "sometimes"),
    signs: { ...good, invalid: ["mode"], contested: 0 },
  },
  {
    reason: "an unmanaged object is not judged",
    kept: verdict({ kind: "unmanaged" }),
    live: said("mode", "unmanaged"),
    last: good,
    signs: { ...nothing, customizations: ["unmanaged"] },
  },
  {
    reason: "a pause that a person ended is over though the write waits",
    kept: wait,
    last: { ...nothing, paused: "edit-war" },
    signs: nothing,
  },
  {
    reason: "fields that were left out of a write are contested from then on",
    kept: { kind: "applied", apply: { contested: [{}] } as never, live: thing() },
    signs: { ...good, contested: 1 },
  },
];

test.each(cases)("$reason", ({ kept, live = thing(), last, isPassing = false, signs }) => {
  expect(signsOf(kept, { live, last, isPassing })).toEqual(signs);
});
