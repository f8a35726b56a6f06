// Predicted outcomes of all VMs, for comparison with the actual ones. The status lists only a few.

import type { VmOutcome } from "@virt/api";
import { readClusterShape, readVirtSettings } from "@virt/cluster";
import type { ImpactFacts } from "../assess-impact.ts";
import { assessedOr } from "../assessed.ts";
import { ClusterRooms } from "../capacity.ts";
import { assessVms } from "../drained-vms.ts";
import { assessPools } from "../pool-rollouts.ts";

/** Returns the outcomes by `namespace/name`. */
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
