// Parses the object names in the report, and formats commands for them.

import { targetResource } from "@virt/views";

/** If `apiVersion` is absent, uses the preferred version. */
export type NamedTarget = {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
};

export function readTargetName(object: string): NamedTarget {
  const [kind = "", place = ""] = object.split(" ");
  const [first = "", second] = place.split("/");
  return second === undefined ? { kind, name: first } : { kind, namespace: first, name: second };
}

const dns1123 = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Undefined unless all names are valid, so that no other text gets into a command. */
export function annotateCommand({ kind, namespace, name }: NamedTarget): string | undefined {
  const resource = targetResource(kind);
  if (resource === undefined || !dns1123.test(name) || (namespace !== undefined && !dns1123.test(namespace)))
    return undefined;
  const type = `${resource.plural}${resource.group === "" ? "" : `.${resource.group}`}`;
  return `kubectl annotate --overwrite ${type} ${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
}
