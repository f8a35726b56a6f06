// Plays the HyperConverged operator: the defaults that are not in the CRD, status, and wasp-agent.

import { asNumber, at, type JsonMap, type KubeObject } from "@virt/engine";
import type { Agenda } from "../agenda.ts";
import { type Condition, conditionStatus, withTimes } from "../conditions.ts";
import { hyperConverged as find, hcoField } from "../hco.ts";
import { inHco } from "../objects/platform.ts";
import type { Wish } from "../wish.ts";
import { lasting, type World } from "../world.ts";

const manager = "hco-operator";
const version = "1.17.0";

export function hyperConverged(world: World, agenda: Agenda): readonly Wish[] {
  const hco = find(world);
  if (hco === undefined) return [];
  return [...defaults(world, hco), report(world, agenda, hco), ...waspAgent(world, hco)];
}

function isHighlyAvailable(world: World): boolean {
  const workers = world
    .of("Node")
    .filter(({ metadata }) => "node-role.kubernetes.io/worker" in (metadata.labels ?? {}));
  return workers.length > 1;
}

function defaults(world: World, hco: KubeObject): readonly Wish[] {
  if (hcoField(hco, "evictionStrategy") !== undefined) return [];
  const evictionStrategy = isHighlyAvailable(world) ? "LiveMigrate" : "None";
  return [{ kind: "set", object: hco, fields: { spec: inHco(hco.apiVersion, { evictionStrategy }) }, manager }];
}

function report(world: World, agenda: Agenda, hco: KubeObject): Wish {
  const generation = hco.metadata.generation ?? 1;
  const isBehind = asNumber(at(hco, "status", "observedGeneration")) !== generation;
  const isBusy = isBehind || conditionStatus(hco, "Progressing") === "True";
  const isOver = isBusy && agenda.passed(`hco ${generation}`, lasting(world, "operators", "hco"));
  const isProgressing = isBehind || (isBusy && !isOver);
  const status: JsonMap = {
    observedGeneration: generation,
    infrastructureHighlyAvailable: isHighlyAvailable(world),
    systemHealthStatus: "healthy",
    versions: [{ name: "operator", version }],
    conditions: withTimes(hco, conditionsOf(isProgressing), world.wall).map((each) => ({
      ...each,
      observedGeneration: generation,
    })),
  };
  const event = isBusy && isOver && !isBehind ? { event: "hco has carried out a change" } : {};
  return { kind: "set", object: hco, fields: { status }, isStatus: true, manager, ...event };
}

function conditionsOf(isProgressing: boolean): readonly Condition[] {
  const good = { reason: "ReconcileCompleted", message: "Reconcile completed successfully" };
  return [
    { type: "ReconcileComplete", status: "True", ...good },
    { type: "Available", status: "True", ...good },
    isProgressing
      ? {
          type: "Progressing",
          status: "True",
          reason: "KubeVirtProgressing",
          message: "KubeVirt is progressing: Deploying version",
        }
      : { type: "Progressing", status: "False", ...good },
    { type: "Degraded", status: "False", ...good },
    { type: "Upgradeable", status: isProgressing ? "False" : "True", ...good },
  ];
}

const autopilot = "platform.kubevirt.io/autopilot";

function waspAgent(world: World, hco: KubeObject): readonly Wish[] {
  const { namespace = "", annotations = {} } = hco.metadata;
  const isOvercommitted = (asNumber(hcoField(hco, "higherWorkloadDensity", "memoryOvercommitPercentage")) ?? 100) > 100;
  const chosen = (annotations[autopilot] ?? "").split(",").map((name) => name.trim());
  const isWanted = isOvercommitted && !chosen.includes("true") && !chosen.includes("swap-enable");
  const present = world
    .of("DaemonSet")
    .filter(({ metadata }) => metadata.name === "wasp-agent" && metadata.namespace === namespace);
  if (!isWanted)
    return present.map((object) => ({ kind: "delete", object, manager, event: "hco takes wasp-agent away" }));
  return present.length > 0
    ? []
    : [{ kind: "create", object: daemonSet(namespace), manager, event: "hco starts wasp-agent" }];
}

function daemonSet(namespace: string): KubeObject {
  const labels = { name: "wasp-agent", "app.kubernetes.io/managed-by": "hco-operator" };
  const containers = [{ name: "wasp-agent", image: "registry.invalid/wasp-agent:simulated" }];
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "wasp-agent", namespace, labels },
    spec: {
      selector: { matchLabels: { name: "wasp-agent" } },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}
