// Plans and runs the comparisons. A server holds one CRD per name, so that generations of a kind run in sequence.

import type { Server } from "@virt/testkit";
import { type Answered, interrogate } from "./compare.ts";
import { type Definition, readGenuine, readMock } from "./definitions.ts";
import { reducedFor, type Subject } from "./subject.ts";

export type Match = {
  readonly title: string;
  readonly subject: Subject;
  readonly mock: Definition;
  readonly genuine?: Definition;
};

export type ProbeComparison = {
  readonly answers: readonly Answered[];
  readonly genuineAnswers: readonly Answered[];
  readonly resources: readonly { readonly name: string }[];
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
};

/** Without the second server, only the mocks are tested. */
export type Servers = { readonly mocks: Server; readonly genuines: Server | undefined };

export function matchesOf(subject: Subject, isGenuineThere: boolean): readonly Match[] {
  const mock = readMock(subject.mock);
  if (!isGenuineThere || subject.genuine.length === 0) return [{ title: subject.title, subject, mock }];
  return subject.genuine.map((other) => ({
    title: `${subject.title} beside ${other.file}`,
    subject: reducedFor(subject, other),
    mock,
    genuine: readGenuine(other.file, mock.version),
  }));
}

export async function compareAll(
  servers: Servers,
  matches: readonly Match[],
): Promise<ReadonlyMap<Match, ProbeComparison>> {
  const held = new Map<Match, ProbeComparison>();
  const installed = new Map<string, Match>();
  for (const round of roundsOf(matches)) {
    await remove(
      servers,
      round.flatMap((match) => installed.get(nameOf(match)) ?? []),
    );
    await install(servers, round);
    for (const match of round) {
      installed.set(nameOf(match), match);
      held.set(match, await hold(servers, match));
    }
  }
  return held;
}

function roundsOf(matches: readonly Match[]): readonly (readonly Match[])[] {
  const turnOf = (match: Match) => matches.filter((one) => nameOf(one) === nameOf(match)).indexOf(match);
  const last = Math.max(...matches.map(turnOf));
  return Array.from({ length: last + 1 }, (_, turn) => matches.filter((match) => turnOf(match) === turn));
}

async function install({ mocks, genuines }: Servers, round: readonly Match[]): Promise<void> {
  const ours = round.map(({ mock }) => mock.crd);
  const theirs = round.flatMap(({ genuine }) => genuine?.crd ?? []);
  await Promise.all([mocks.installCrds(ours), genuines?.installCrds(theirs)]);
}

async function remove({ mocks, genuines }: Servers, round: readonly Match[]): Promise<void> {
  const theirs = round.flatMap(({ genuine }) => genuine?.crd ?? []);
  const leaving = round.map(({ mock }) => mocks.removeCrd(mock.crd));
  await Promise.all([...leaving, ...theirs.map(async (crd) => genuines?.removeCrd(crd))]);
}

function nameOf({ mock }: Match): string {
  return mock.crd.metadata.name;
}

async function hold({ mocks, genuines }: Servers, { subject, mock, genuine }: Match): Promise<ProbeComparison> {
  const isAlone = genuine === undefined || genuines === undefined;
  const [answers, genuineAnswers, seen] = await Promise.all([
    interrogate(mocks, mock, subject),
    isAlone ? [] : interrogate(genuines, genuine, subject),
    inspect(mocks, mock),
  ]);
  return { answers, genuineAnswers, ...seen };
}

async function inspect(
  server: Server,
  { crd, group, version }: Definition,
): Promise<Omit<ProbeComparison, "answers" | "genuineAnswers">> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
  const [found, installed] = await Promise.all([
    server.request({ path: `/apis/${group}/${version}` }),
    server.request({ path }),
  ]);
  const { resources } = found.body as Pick<ProbeComparison, "resources">;
  const { status } = installed.body as { status: Pick<ProbeComparison, "conditions"> };
  return { resources, conditions: status.conditions };
}
