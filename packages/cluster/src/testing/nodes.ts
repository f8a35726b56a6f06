import type { Json, KubeObject } from "@virt/api";

type NodeInput = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly capacity?: Readonly<Record<string, Json>>;
  readonly podCIDR?: string;
  readonly isLeaving?: boolean;
};

export function nodeWithRole(roles: readonly string[], given: NodeInput = {}): KubeObject {
  const { labels = {}, annotations = {}, capacity = {}, podCIDR, isLeaving = false } = given;
  const named = Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, ""]));
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: "a",
      labels: { ...named, ...labels },
      annotations,
      ...(isLeaving && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: podCIDR === undefined ? {} : { podCIDR },
    status: { capacity },
  };
}

export const worker = (given: NodeInput = {}) => nodeWithRole(["worker"], given);
export const master = (given: NodeInput = {}) => nodeWithRole(["master", "control-plane"], given);
