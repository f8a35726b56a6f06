// Lists facts about a node or a VM as terms and descriptions.

import type { KubeObject } from "@virt/api";
import { asList, asText, at, entriesOf, isMap, member } from "@virt/objects";
import { strings } from "../strings.ts";

export type ObjectFact = { readonly term: string; readonly text: string };

const texts = strings.objects;
const rolePrefix = "node-role.kubernetes.io/";
const machineConfig = "machineconfiguration.openshift.io/";
const mostNames = 20;

/** Lists facts about a node and omits unknown ones. `vms` is undefined if the user may not list VMs. */
export function nodeFacts(node: KubeObject, vms: readonly KubeObject[] | undefined): readonly ObjectFact[] {
  const { labels = {}, annotations = {} } = node.metadata;
  const labelKeys = isMap(labels) ? entriesOf(labels).map(([key]) => key) : [];
  const roles = labelKeys.filter((key) => key.startsWith(rolePrefix)).map((key) => key.slice(rolePrefix.length));
  const said = (key: string) => asText(at(annotations, `${machineConfig}${key}`)) ?? "";
  const ready = asList(at(node, "status", "conditions")).find((condition) => member(condition, "type") === "Ready");
  const here = vms?.filter((vm) => at(vm, "status", "nodeName") === node.metadata.name).map(nameOf);
  return known([
    [texts.roles, roles.join(", ")],
    [texts.ready, asText(member(ready, "status")) ?? ""],
    [texts.scheduling, at(node, "spec", "unschedulable") === true ? texts.cordoned : texts.schedulable],
    [texts.current, said("currentConfig")],
    [texts.desired, said("desiredConfig")],
    [texts.state, said("state")],
    [texts.reason, said("reason")],
    [texts.vms, here === undefined ? "" : namesText(here)],
  ]);
}

export function vmFacts(vm: KubeObject): readonly ObjectFact[] {
  const migration = at(vm, "status", "migrationState");
  const isMoving = isMap(migration) && member(migration, "endTimestamp") === undefined;
  return known([
    [texts.phase, asText(at(vm, "status", "phase")) ?? ""],
    [texts.node, asText(at(vm, "status", "nodeName")) ?? ""],
    [texts.migration, isMoving ? texts.movesTo(asText(member(migration, "targetNode")) ?? "?") : ""],
    [texts.migration, member(migration, "failed") === true ? texts.migrationFailed : ""],
  ]);
}

function known(facts: readonly (readonly [term: string, text: string])[]): readonly ObjectFact[] {
  return facts.filter(([, text]) => text !== "").map(([term, text]) => ({ term, text }));
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function namesText(names: readonly string[]): string {
  if (names.length === 0) return texts.noVms;
  const rest = names.length - mostNames;
  const shown = names.toSorted().slice(0, mostNames).join(", ");
  return rest > 0 ? `${shown} ${strings.plan.more(rest)}` : shown;
}
