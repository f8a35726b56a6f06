export type OperatorNames = {
  readonly name: string;
  readonly namespace: string;
  readonly lease: string;
  /** The ServiceAccount's user name. */
  readonly account: string;
};

export const advisor = operator("virt-advisor-operator", "8f83cc6e.kubevirt.io");
export const platform = operator("virt-platform-operator", "virt-platform-operator.kubevirt.io");

function operator(name: string, lease: string): OperatorNames {
  const namespace = `${name}-system`;
  return { name, namespace, lease, account: `system:serviceaccount:${namespace}:${name}-controller-manager` };
}

/** Resolves a declared namespace. The HyperConverged, and objects in its namespace, may be in any namespace. */
export function namespaceOf(declared: string, own: OperatorNames): string {
  if (declared === "$operator") return own.namespace;
  return declared === "$hco" ? "*" : declared;
}
