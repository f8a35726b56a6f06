// What becomes of each VM by name: a status lists few of them, and who compares a prediction with what happens needs all.

import type { VmOutcome } from "@virt/api";
import type { ImpactFacts } from "../assess-impact.ts";
import { assessedOr } from "../assessed.ts";
import { ClusterRooms } from "../capacity.ts";
import { assessVms } from "../drained-vms.ts";
import { assessPools } from "../pool-rollouts.ts";
import { readClusterShape, readVirtSettings } from "../virt-settings.ts";

/** By `namespace/name`, of the VMs that count. */
export function outcomesByVm(facts: ImpactFacts): ReadonlyMap<string, VmOutcome> {
  const nodes = assessedOr(facts.nodes, []);
  const vms = assessedOr(facts.vms, []);
  const settings = assessedOr(facts.settings, readVirtSettings(undefined, undefined));
  const drained = assessVms(assessPools({ ...facts, nodes }), {
    vms,
    rooms: new ClusterRooms(nodes, vms, settings),
    settings,
    shape: assessedOr(facts.shape, readClusterShape(undefined)),
    runStrategies: assessedOr(facts.runStrategies, new Map<string, string>()),
  });
  return new Map(drained.map(({ vm: { namespace, name }, outcome }) => [`${namespace}/${name}`, outcome]));
}
