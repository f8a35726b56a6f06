// Turns claims into probes: objects to send, with the expected answer. One object can carry many claims, because the
// API server names every invalid field.

import { type Claim, claimsOf } from "./claims.ts";
import { areNested, spelledOut, type Tree, without, withValue } from "./paths.ts";
import type { Case, Subject } from "./subject.ts";

/** Objects are sent as new objects or as the status of an existing one, each also by server-side apply. */
export type Way = "create" | "apply" | "status" | "apply status";

export type Probe = {
  readonly way: Way;
  readonly reason: string;
  readonly object: Tree;
  readonly expect: "accepted" | "refused";
  /** Fields that the refusal must name, in the API server's spelling. */
  readonly named: readonly string[];
};

export function probesOf(subject: Subject, hasStatusSubresource: boolean): readonly Probe[] {
  const { sample, unknown = {}, cases = [] } = subject;
  const waysOf = (path: string): readonly [Way, Way] =>
    hasStatusSubresource && path.startsWith("status") ? ["status", "apply status"] : ["create", "apply"];
  const parts = ["spec", "status"].filter((part) => sample[part] !== undefined);
  const whole = { reason: "the sample", object: sample, expect: "accepted", named: [] } as const;
  return [
    ...parts.flatMap((part) => waysOf(part).map((way) => ({ ...whole, way }))),
    ...sheets(claimsOf(subject), (path) => waysOf(path)[0]).map(({ way, claims }) => ({
      ...probe(claims, sample),
      way,
    })),
    ...Object.entries(unknown).flatMap(([path, value]) =>
      waysOf(path).map((way) => ({ ...probe([{ path, value, kind: "unknown", isAlone: true }], sample), way })),
    ),
    ...cases.flatMap((one) => waysOf("spec").map((way) => ({ ...caseProbe(one, sample), way }))),
  ];
}

type Sheet = { readonly way: Way; readonly claims: Claim[] };

/** Returns a small number of sheets, each with claims that do not overlap. */
function sheets(claims: readonly Claim[], wayOf: (path: string) => Way): readonly Sheet[] {
  const all: Sheet[] = [];
  for (const claim of claims) {
    const way = wayOf(claim.path);
    const isFree = (other: Claim) => other.kind === claim.kind && !other.isAlone && !areNested(other.path, claim.path);
    const room = claim.isAlone ? undefined : all.find((sheet) => sheet.way === way && sheet.claims.every(isFree));
    if (room === undefined) all.push({ way, claims: [claim] });
    else room.claims.push(claim);
  }
  return all;
}

function probe(claims: readonly Claim[], sample: Tree): Omit<Probe, "way"> {
  const isRight = claims.every(({ kind }) => kind === "right");
  return {
    reason: claims.map(({ path, value }) => `${path} = ${shown(value)}`).join(", "),
    object: claims.reduce((object, { path, value }) => withValue(object, path, value), sample),
    expect: isRight ? "accepted" : "refused",
    // A rule can name its object instead of the field.
    named: isRight ? [] : claims.filter(({ isAlone }) => !isAlone).map(({ path }) => spelledOut(sample, path)),
  };
}

function caseProbe({ reason, set = {}, drop = [], expect }: Case, sample: Tree): Omit<Probe, "way"> {
  const reduced = drop.reduce(without, sample);
  const object = Object.entries(set).reduce((object, [path, value]) => withValue(object, path, value), reduced);
  return { reason, object, expect, named: [] };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
