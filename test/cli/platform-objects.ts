// Objects that the platform controller reads and writes, for clusters without it.

import type { Server } from "@virt/testkit";
import { expect } from "vitest";
import { applyManifests } from "../support/account.ts";
import { paths } from "../support/advisor.ts";

export const hyperConverged = {
  apiVersion: "hco.kubevirt.io/v1beta1",
  kind: "HyperConverged",
  metadata: { name: "kubevirt-hyperconverged", namespace: "openshift-cnv" },
  spec: {},
};

export async function createHyperConverged(server: Server): Promise<void> {
  const path = paths.hco.slice(0, paths.hco.lastIndexOf("/"));
  expect(await server.request({ method: "POST", path, body: hyperConverged })).toMatchObject({ status: 201 });
}

const idle = { version: 1, activation: { mode: "opt-in", isActive: false }, hco: null, objects: [], exclusions: [] };
export const notActivated = {
  asset: "swap-enable",
  group: "swap",
  target: "MachineConfig x",
  reason: "NotActivated",
  details: "",
};

/** Stores a report of the platform controller and its namespace. Default: the report of an idle controller. */
export function storeReport(server: Server, namespace: string, given: object = {}): Promise<void> {
  const metadata = { name: "virt-platform-operator-report", namespace };
  const data = { "report.json": JSON.stringify({ ...idle, ...given }) };
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data },
  ];
  return applyManifests(server, objects.map((one) => JSON.stringify(one)).join("\n---\n"));
}
