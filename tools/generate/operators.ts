// The two operators as their manifests name them.

export type OperatorNames = {
  readonly name: string;
  readonly namespace: string;
  readonly lease: string;
  /** As the API server calls its ServiceAccount. */
  readonly account: string;
};

export const advisor = operator("virt-advisor-operator", "8f83cc6e.kubevirt.io");
export const platform = operator("virt-platform-operator", "virt-platform-operator.kubevirt.io");

function operator(name: string, lease: string): OperatorNames {
  const namespace = `${name}-system`;
  return { name, namespace, lease, account: `system:serviceaccount:${namespace}:${name}-controller-manager` };
}

/** Where a declared place is: the HyperConverged, and what lies beside it, may be in any namespace. */
export function namespaceOf(declared: string, own: OperatorNames): string {
  if (declared === "$operator") return own.namespace;
  return declared === "$hco" ? "*" : declared;
}
