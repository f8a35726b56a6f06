// A cluster with both versions of the HyperConverged, and its operator.

import type { JsonMap, KubeObject } from "@virt/api";
import { asText, member, readOwners } from "@virt/objects";
import type { ApiResponse, AuditEvent } from "@virt/testkit";
import { expect, vi } from "vitest";
import { accountName } from "../support/account.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { type Conversion, startConversion } from "./hco-conversion.ts";

export type Version = "v1" | "v1beta1";

export type TwoVersions = {
  readonly testCluster: TestCluster;
  readonly conversion: Conversion;
  readonly create: (version: Version, spec: JsonMap, annotations?: JsonMap) => Promise<void>;
  readonly edit: (version: Version, body: JsonMap, as?: string) => Promise<void>;
  readonly read: (version: Version) => Promise<KubeObject>;
  readonly writes: () => readonly AuditEvent[];
  readonly asked: (version: Version) => readonly AuditEvent[];
  readonly managers: (version: Version) => Promise<readonly string[]>;
  readonly events: (reason: string) => Promise<readonly string[]>;
  readonly untilManaged: (version: Version) => Promise<void>;
  readonly until: (check: () => Promise<void>) => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const folder = (version: Version) => `/apis/hco.kubevirt.io/${version}/namespaces/openshift-cnv/hyperconvergeds`;
const name = "kubevirt-hyperconverged";

export async function startTwoVersions(crd: "old" | "both"): Promise<TwoVersions> {
  const conversion = await startConversion();
  const testCluster = await startTestCluster({ controller: "platform", crds: { hyperconvergeds: null } });
  const { server } = testCluster;
  const labels = { "node-role.kubernetes.io/worker": "" };
  await server.installCrds([conversion[crd]]);
  accepted(
    await server.request({
      method: "POST",
      path: "/api/v1/nodes",
      body: { apiVersion: "v1", kind: "Node", metadata: { name: "worker-0", labels } },
    }),
  );
  const read = async (version: Version) =>
    (await server.request({ path: `${folder(version)}/${name}` })).body as KubeObject;
  return {
    testCluster,
    conversion,
    read,
    create: async (version, spec, annotations = {}) => {
      const apiVersion = `hco.kubevirt.io/${version}`;
      const body = { apiVersion, kind: "HyperConverged", metadata: { name, annotations }, spec };
      accepted(await server.request({ method: "POST", path: `${folder(version)}?fieldManager=installer`, body }));
    },
    edit: async (version, body, as = "kubectl-edit") =>
      accepted(await server.request({ method: "PATCH", path: `${folder(version)}/${name}?fieldManager=${as}`, body })),
    writes: () => server.audit().filter((event) => isApply(event) && !isDry(event)),
    asked: (version) =>
      server.audit().filter((event) => isApply(event) && isDry(event) && event.requestURI.startsWith(folder(version))),
    managers: async (version) => readOwners(await read(version)).map(({ manager }) => manager),
    events: async (reason) => {
      const { body } = await server.request({ path: "/apis/events.k8s.io/v1/events?limit=500" });
      const events = ((body as { items?: readonly JsonMap[] }).items ?? []).filter(
        (event) => event["reason"] === reason,
      );
      return events.flatMap((event) => asText(member(event, "note")) ?? []);
    },
    untilManaged: (version) => until(async () => expect(labelOf(await read(version))).toBe("virt-platform-operator")),
    until,
    [Symbol.asyncDispose]: async () => {
      await testCluster[Symbol.asyncDispose]();
      await conversion[Symbol.asyncDispose]();
    },
  };
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 40 });

function labelOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.["platform.kubevirt.io/managed-by"];
}

function isApply({ user, verb, requestURI }: AuditEvent): boolean {
  return user.username === accountName("platform") && verb === "patch" && requestURI.includes("/hyperconvergeds/");
}

function isDry({ requestURI }: AuditEvent): boolean {
  return requestURI.includes("dryRun");
}

function accepted({ status, body }: ApiResponse): void {
  if (status >= 300) throw new Error(JSON.stringify(body));
}
