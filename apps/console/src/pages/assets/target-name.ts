// Parses the object names in the report, and formats commands for them.

import { targetResource } from "@virt/views";

/** An object named in the report. If `apiVersion` is absent, the preferred version applies. */
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

/** Returns undefined unless all names are valid, so that no other text can get into a command. */
export function annotateCommand({ kind, namespace, name }: NamedTarget): string | undefined {
  const resource = targetResource(kind);
  if (resource === undefined || !dns1123.test(name) || (namespace !== undefined && !dns1123.test(namespace)))
    return undefined;
  const type = `${resource.plural}${resource.group === "" ? "" : `.${resource.group}`}`;
  return `kubectl annotate --overwrite ${type} ${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
}
