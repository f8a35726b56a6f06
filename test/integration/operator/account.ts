// An account for a shipped operator that may do everything, so that a test is about something else than its rights.

import type { Server } from "@virt/testkit";

/** Its writes are kept in the audit log with their bodies. */
export async function unlimitedAccount(api: Server, namespace: string) {
  const name = "virt-operator";
  const account = await api.serviceAccount(namespace, name);
  const body = {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", namespace, name }],
  };
  await api.request({ method: "POST", path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", body });
  return account;
}
