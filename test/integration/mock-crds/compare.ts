// Probes a subject on a server and finds disagreements between two servers, or between a server and the table.

import type { Server } from "@virt/testkit";
import { askAll } from "./ask.ts";
import type { Definition } from "./definitions.ts";
import { areNested } from "./paths.ts";
import type { ProbeResult } from "./probe-result.ts";
import { type Probe, probesOf } from "./probes.ts";
import type { Subject } from "./subject.ts";

export type Answered = { readonly probe: Probe; readonly result: ProbeResult };

export async function interrogate(
  server: Server,
  definition: Definition,
  subject: Subject,
): Promise<readonly Answered[]> {
  const probes = probesOf(subject, definition.hasStatus);
  const paths = subject.fields.map(({ path }) => path);
  const results = await askAll({ server, definition, paths }, probes, subject.sample);
  return probes.flatMap((probe, index) => {
    const result = results[index];
    return result === undefined ? [] : [{ probe, result }];
  });
}

export function surprises(answers: readonly Answered[]): readonly object[] {
  return answers.flatMap(({ probe, result }): readonly object[] => {
    if (result.kind !== probe.expect) return [{ asked: question(probe), expected: probe.expect, ...brief(result) }];
    const missed = result.kind === "refused" ? notNamed(probe, result.complaints) : [];
    return missed.length > 0 ? [{ asked: question(probe), missed, ...brief(result) }] : [];
  });
}

// A refusal can name an element of the list. Server-side apply returns its errors as one text.
function notNamed({ named, way }: Probe, complaints: readonly string[]): readonly string[] {
  const isNamed = (field: string) => complaints.some((one) => one.length >= field.length && areNested(one, field));
  return way.startsWith("apply") ? [] : named.filter((field) => !isNamed(field));
}

export function disagreements(mock: readonly Answered[], genuine: readonly Answered[]): readonly object[] {
  return mock.flatMap(({ probe, result }, index) => {
    const other = genuine[index]?.result;
    const isSame = JSON.stringify(result) === JSON.stringify(other);
    return isSame ? [] : [{ asked: question(probe), ...firstDifference(result, other) }];
  });
}

function firstDifference(mock: ProbeResult, genuine: ProbeResult | undefined) {
  if (mock.kind !== "accepted" || genuine?.kind !== "accepted") return { mock: brief(mock), genuine: brief(genuine) };
  const isUnlike = (path: string) => JSON.stringify(mock.seen[path]) !== JSON.stringify(genuine.seen[path]);
  const path = Object.keys(mock.seen).find(isUnlike) ?? "";
  return { path, mock: mock.seen[path], genuine: genuine.seen[path] };
}

function brief(result: ProbeResult | undefined): object {
  return result?.kind === "refused" ? result : { kind: result?.kind };
}

function question({ way, reason }: Probe): string {
  return `${way}: ${reason}`;
}
