// Puts the questions about a subject to a server, and finds where two servers, or a server and the table, do not agree.

import type { Server } from "@virt/testkit";
import { askAll } from "./ask.ts";
import type { Definition } from "./definitions.ts";
import { areNested } from "./paths.ts";
import { type Probe, probesOf } from "./probes.ts";
import type { Subject } from "./subject.ts";
import type { Verdict } from "./verdict.ts";

export type Answered = { readonly probe: Probe; readonly verdict: Verdict };

export async function interrogate(
  server: Server,
  definition: Definition,
  subject: Subject,
): Promise<readonly Answered[]> {
  const probes = probesOf(subject, definition.hasStatus);
  const paths = subject.fields.map(({ path }) => path);
  const verdicts = await askAll({ server, definition, paths }, probes, subject.sample);
  return probes.flatMap((probe, index) => {
    const verdict = verdicts[index];
    return verdict === undefined ? [] : [{ probe, verdict }];
  });
}

/** Answers other than the table expects. */
export function surprises(answers: readonly Answered[]): readonly object[] {
  return answers.flatMap(({ probe, verdict }): readonly object[] => {
    if (verdict.kind !== probe.expect) return [{ asked: question(probe), expected: probe.expect, ...brief(verdict) }];
    const missed = verdict.kind === "refused" ? notNamed(probe, verdict.complaints) : [];
    return missed.length > 0 ? [{ asked: question(probe), missed, ...brief(verdict) }] : [];
  });
}

// A refusal may name an element of the list that was sent. What server-side apply refuses comes as one text instead.
function notNamed({ named, way }: Probe, complaints: readonly string[]): readonly string[] {
  const isNamed = (field: string) => complaints.some((one) => one.length >= field.length && areNested(one, field));
  return way.startsWith("apply") ? [] : named.filter((field) => !isNamed(field));
}

/** Questions that the two answer differently. */
export function disagreements(mock: readonly Answered[], genuine: readonly Answered[]): readonly object[] {
  return mock.flatMap(({ probe, verdict }, index) => {
    const other = genuine[index]?.verdict;
    const isSame = JSON.stringify(verdict) === JSON.stringify(other);
    return isSame ? [] : [{ asked: question(probe), ...firstDifference(verdict, other) }];
  });
}

function firstDifference(mock: Verdict, genuine: Verdict | undefined) {
  if (mock.kind !== "accepted" || genuine?.kind !== "accepted") return { mock: brief(mock), genuine: brief(genuine) };
  const isUnlike = (path: string) => JSON.stringify(mock.seen[path]) !== JSON.stringify(genuine.seen[path]);
  const path = Object.keys(mock.seen).find(isUnlike) ?? "";
  return { path, mock: mock.seen[path], genuine: genuine.seen[path] };
}

function brief(verdict: Verdict | undefined): object {
  return verdict?.kind === "refused" ? verdict : { kind: verdict?.kind };
}

function question({ way, reason }: Probe): string {
  return `${way}: ${reason}`;
}
