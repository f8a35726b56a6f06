// Makes the scenario's objects, each once: what somebody deletes or changes afterwards is theirs.

import { at, isMap, type KubeObject } from "@virt/engine";
import { isKind } from "../kinds.ts";
import { machinesOf } from "../objects/machines.ts";
import { nodesOf } from "../objects/nodes.ts";
import { deschedulerOf, hyperConvergedOf, infrastructureOf, namespacesOf, schedulerOf } from "../objects/platform.ts";
import { baseConfigsOf, poolsOf } from "../objects/pools.ts";
import type { Wish } from "../wish.ts";
import { find, type World } from "../world.ts";

type Part = { readonly manager: string; readonly objects: readonly KubeObject[] };

/** What is still to be made; what is not served waits until it is. */
export function setup(world: World): readonly Wish[] {
  const { scenario } = world;
  const wishes = partsOf(world).flatMap(({ manager, objects }) =>
    objects
      .filter((object) => isDue(world, object))
      .map((object): Wish => ({ kind: "create", object, manager, key: keyOf(object) })),
  );
  // A namespace comes before what lies in it.
  const namespaces = wishes.filter(({ object }) => object.kind === "Namespace");
  if (namespaces.length > 0) return namespaces;
  const infrastructure = find(world, "Infrastructure", "cluster");
  const isBare = infrastructure !== undefined && !isMap(at(infrastructure, "status", "platformStatus"));
  if (infrastructure === undefined || !isBare) return wishes;
  const { status = {} } = infrastructureOf(scenario, world.seed) as { readonly status?: KubeObject };
  return [
    ...wishes,
    { kind: "set", object: infrastructure, fields: { status }, isStatus: true, manager: "cluster-bootstrap" },
  ];
}

export function keyOf({ kind, metadata }: KubeObject): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
}

function partsOf({ scenario, seed, wall, versionOf }: World): readonly Part[] {
  const hco = versionOf("HyperConverged");
  const descheduler = deschedulerOf(scenario);
  return [
    { manager: "cluster-bootstrap", objects: namespacesOf(scenario) },
    { manager: "cluster-bootstrap", objects: [infrastructureOf(scenario, seed), schedulerOf(scenario)] },
    { manager: "machine-config-operator", objects: [...baseConfigsOf(scenario), ...poolsOf(scenario)] },
    { manager: "kubelet", objects: nodesOf(scenario, { seed, wall }) },
    {
      manager: "kubectl-create",
      objects: [
        ...(scenario.hco && hco !== undefined ? [hyperConvergedOf(scenario.hco, hco)] : []),
        ...(descheduler ? [descheduler] : []),
        ...scenario.objects,
      ],
    },
    { manager: "virt-controller", objects: machinesOf(scenario) },
  ];
}

function isDue({ made, versionOf }: World, object: KubeObject): boolean {
  if (made.has(keyOf(object))) return false;
  return !isKind(object.kind) || versionOf(object.kind) !== undefined;
}
