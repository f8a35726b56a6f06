import { assessed, notAssessed } from "@virt/impact";
import type { ClusterReader, ReadResult } from "@virt/kube";
import { expect, test } from "vitest";
import { InfrastructureRead } from "./infrastructure-read.ts";

const object = { apiVersion: "config.openshift.io/v1", kind: "Infrastructure", metadata: { name: "cluster" } };
const unavailable = { kind: "unavailable", message: "503" } as unknown as ReadResult;

function readerOf(answers: readonly ReadResult[]) {
  const left = answers.values();
  return { read: () => Promise.resolve(left.next().value) } as unknown as ClusterReader;
}

test("an old read is repeated, and stays valid while requests fail", async () => {
  const infrastructure = new InfrastructureRead(1_000);
  expect(infrastructure.list).toEqual(notAssessed("Listing"));
  const reader = readerOf([{ kind: "found", object }, unavailable, { kind: "absent" }]);
  for (const now of [0, 999, 1_000]) {
    await infrastructure.load(reader, now);
    expect(infrastructure.list).toEqual(assessed([object]));
  }
  await infrastructure.load(reader, infrastructure.retryAt);
  expect(infrastructure.list).toEqual(notAssessed("NotServed"));
});

test("an Infrastructure that is not served is read once", async () => {
  const infrastructure = new InfrastructureRead();
  const reader = readerOf([
    { kind: "missing", what: "kind" },
    { kind: "found", object },
  ]);
  for (const now of [0, 1e9]) await infrastructure.load(reader, now);
  expect(infrastructure.list).toEqual(notAssessed("NotServed"));
});
