// @module-tag thorough

import { startServer } from "@virt/testkit";
import { expect, test } from "vitest";
import { type CopierUsage, complaints, startCopier, untilWatch } from "./runtime/process.ts";

const crdOf = (kind: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${kind.toLowerCase()}s.example.org` },
  spec: {
    group: "example.org",
    names: { kind, plural: `${kind.toLowerCase()}s` },
    scope: "Cluster",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

// Four at a time, because the API server keeps a stream open for a second after its kind is gone.
const kinds = ["Apple", "Cherry", "Lemon", "Orange"];
const rounds = { warmUp: 3, all: 25 };
/** Compiled code counts as heap, and 1.05 was measured. This limit detects a leak of about 40 kB per cycle. */
const heapGrowth = 1.2;
/** Idle kept-alive connections. A leaked one per cycle would be 88. */
const keptSockets = 8;

const sum = ({ resources }: CopierUsage) => Object.values(resources).reduce((all, one) => all + one, 0);

test("watches kinds through 100 CRD cycles without leaks", {
  timeout: 600_000, // a hang guard: a hundred cycles take a minute on an idle machine
}, async () => {
  await using api = await startServer();
  const copier = startCopier(api, { KINDS: kinds.join() });
  await Promise.all(kinds.map((kind) => untilWatch(copier, kind, "not served")));
  const cycle = async (kind: string) => {
    await api.installCrds([crdOf(kind)]);
    await untilWatch(copier, kind, "synced");
    await api.removeCrd(crdOf(kind));
    await untilWatch(copier, kind, "not served");
  };
  const repeat = async (count: number) => {
    for (let round = 0; round < count; round++) await Promise.all(kinds.map(cycle));
    return copier.ask("collect");
  };
  const warm = await repeat(rounds.warmUp);
  const last = await repeat(rounds.all - rounds.warmUp);

  expect(last.heap / warm.heap).toBeLessThan(heapGrowth);
  expect(sum(last)).toBeLessThanOrEqual(sum(warm) + keptSockets);
  expect(copier.child.exitCode).toBeNull();
  expect(complaints(copier)).toEqual([]);
});
