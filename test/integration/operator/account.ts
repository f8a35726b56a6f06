// Creates an account with all rights, for tests that do not concern rights.

import type { Server } from "@virt/testkit";

/** The audit log includes the bodies of its writes. */
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
