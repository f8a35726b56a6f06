// For every field in our specs, the mock CRDs answer like the genuine ones on a real API server.
// @module-tag thorough

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isGenerated } from "../../tools/generate/generated-mark.ts";
import { namespace } from "./mock-crds/ask.ts";
import { capabilitiesOf } from "./mock-crds/capabilities.ts";
import { disagreements, surprises } from "./mock-crds/compare.ts";
import { isGenuineThere, readGenuine, readMock } from "./mock-crds/definitions.ts";
import { deschedulers } from "./mock-crds/kinds/descheduler.ts";
import { differences } from "./mock-crds/never-wider.ts";
import { valueAt } from "./mock-crds/paths.ts";
import { compareAll, type Match, matchesOf, type ProbeComparison, type Servers } from "./mock-crds/rounds.ts";
import { mentionedPaths } from "./mock-crds/subject.ts";
import { subjects } from "./mock-crds/subjects.ts";

const patienceMs = 300_000;
const published = subjects.flatMap(({ genuine: [first], ...rest }) =>
  first ? [{ ...rest, genuine: [first] as const }] : [],
);
const matches = subjects.flatMap((subject) => matchesOf(subject, isGenuineThere));

let servers: Servers | undefined;
let held: ReadonlyMap<Match, ProbeComparison>;

beforeAll(async () => {
  if (!isGenuineThere) {
    process.stdout.write(
      "../shared/crds is absent: mock CRDs are held to their tables, not compared with genuine ones\n",
    );
  }
  const [mocks, genuines] = await Promise.all([startReady(), isGenuineThere ? startReady() : undefined]);
  servers = { mocks, genuines };
  held = await compareAll(servers, matches);
}, patienceMs);

afterAll(async () => {
  await Promise.all([servers?.mocks.stop(), servers?.genuines?.stop()]);
});

async function startReady(): Promise<Server> {
  const server = await startServer();
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await server.request({ method: "POST", path: "/api/v1/namespaces", body });
  return server;
}

function outcomeOf(match: Match): ProbeComparison {
  const outcome = held.get(match);
  if (outcome === undefined) throw new Error(`${match.title} was not compared`);
  return outcome;
}

test("every handwritten mock CRD has a table", () => {
  const folder = inRepository("config", "crd", "mocks");
  const isStub = (file: string) => isGenerated(readFileSync(join(folder, file), "utf8"));
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml") && !isStub(file));
  expect(subjects.map(({ mock }) => mock).toSorted()).toEqual(files.toSorted());
});

describe.each(subjects)("the table of $title", (subject) => {
  test("covers every field that our specs mention", () => {
    const asked = new Set([...subject.fields.map(({ path }) => path), ...Object.keys(subject.unknown ?? {})]);
    expect(mentionedPaths(subject).filter((path) => !asked.has(path))).toEqual([]);
  });

  test("has a sample that sets every field", () => {
    const isFilled = (path: string) => valueAt(subject.sample, path) !== undefined;
    expect(subject.fields.map(({ path }) => path).filter((path) => !isFilled(path))).toEqual([]);
  });
});

describe.each(matches)("the mock of $title", (match) => {
  const { mock } = match;

  test("is established and served under its names", () => {
    const { resources, conditions } = outcomeOf(match);
    const { plural, singular, listKind: _, ...names } = mock.identity["names"] as Record<string, unknown>;
    const found = { ...names, name: plural, singularName: singular, namespaced: mock.isNamespaced };
    expect(conditions).toContainEqual(expect.objectContaining({ type: "Established", status: "True" }));
    expect(resources).toContainEqual(expect.objectContaining(found));
    expect(resources.some(({ name }) => name === `${mock.plural}/status`)).toBe(mock.hasStatus);
  });

  test("accepts valid and refuses invalid values", () => {
    expect(surprises(outcomeOf(match).answers)).toEqual([]);
  });
});

describe.each(matches.filter(({ genuine }) => genuine !== undefined))("the mock of $title", (match) => {
  test("answers like the genuine CRD", () => {
    const { answers, genuineAnswers } = outcomeOf(match);
    expect(disagreements(answers, genuineAnswers)).toEqual([]);
  });
});

describe.runIf(isGenuineThere).each(published)("the mock of $title", ({ mock, genuine: [other] }) => {
  const ours = readMock(mock);
  const theirs = () => readGenuine(other.file, ours.version);

  test("has the names and field schemas of the genuine CRD", () => {
    expect(ours.identity).toEqual(theirs().identity);
    expect(differences(ours.schema, theirs().schema)).toEqual([]);
  });

  test.each(other.twins ?? [])("also represents %s, which has the same schema", (twin) => {
    expect(readGenuine(twin, ours.version).schema).toEqual(theirs().schema);
  });
});

describe("the advisor", () => {
  const [preview, current] = ["DevKubeVirtRelieveAndMigrate", "KubeVirtRelieveAndMigrate"];

  test("distinguishes the descheduler generations by their mocks", () => {
    const facts = deschedulers.map(({ mock }) => {
      const { profiles, limits, softTainter, pairs } = capabilitiesOf(readMock(mock).schema);
      return {
        kubeVirt: profiles.filter((name) => name.includes("KubeVirt")),
        limits,
        softTainter,
        pairs: pairs.length,
      };
    });
    expect(facts).toEqual([
      { kubeVirt: [], limits: ["total"], softTainter: "absent", pairs: 0 },
      { kubeVirt: [preview], limits: ["total"], softTainter: "usable", pairs: 0 },
      { kubeVirt: [preview], limits: ["total"], softTainter: "deprecated", pairs: 0 },
      { kubeVirt: [preview, current], limits: ["node", "total"], softTainter: "deprecated", pairs: 16 },
    ]);
  });

  test.runIf(isGenuineThere).each(deschedulers)(
    "reads the same capabilities from the genuine CRD of $title",
    ({ mock, genuine }) => {
      const files = genuine.flatMap(({ file, twins = [] }) => [file, ...twins]);
      const facts = files.map((file) => capabilitiesOf(readGenuine(file, "v1").schema));
      expect(facts).toEqual(files.map(() => capabilitiesOf(readMock(mock).schema)));
    },
  );
});
