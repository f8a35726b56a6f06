import { expect, test } from "vitest";
import type { KubeObject } from "./cluster.ts";
import { poolOfNode } from "./pool-of-node.ts";

const selector = (role: string): KubeObject => ({
  apiVersion: "v1",
  kind: "MachineConfigPool",
  metadata: { name: role },
  spec: { nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${role}`]: "" } } },
});
const pools = ["master", "worker", "infra", "gpu"].map(selector);

test.each([
  { reason: "a worker is worker's", roles: ["worker"], owner: "worker" },
  { reason: "a custom pool comes before worker", roles: ["worker", "infra"], owner: "infra" },
  { reason: "a control plane node that also works is master's", roles: ["worker", "master"], owner: "master" },
  { reason: "a control plane node is not taken by a custom pool", roles: ["master", "infra"], owner: "master" },
  { reason: "a node of two custom pools gets none", roles: ["worker", "infra", "gpu"], owner: undefined },
  { reason: "a node without a role gets none", roles: [], owner: undefined },
])("$reason", ({ roles, owner }) => {
  expect(poolOfNode(Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ""])), pools)).toBe(
    owner,
  );
});
