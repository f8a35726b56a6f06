// The virtual machines of a scenario, as VirtualMachineInstances that nobody has placed yet.

import type { KubeObject } from "@virt/engine";
import type { Scenario, VmGroup } from "../scenario.ts";
import { faultPrefix } from "../world.ts";

/** Where a machine runs first, if the scenario says so. */
export const firstNode = `${faultPrefix}first-node`;

export function machinesOf({ vms }: Scenario): readonly KubeObject[] {
  return vms.flatMap((group) => Array.from({ length: group.count }, (_, place) => machineOf(group, place)));
}

function machineOf(
  { name, namespace, memoryGiB, evictionStrategy, unmigratable, node }: VmGroup,
  place: number,
): KubeObject {
  const annotations = {
    ...(unmigratable !== undefined && { [`${faultPrefix}unmigratable`]: unmigratable }),
    ...(node !== undefined && { [firstNode]: node }),
  };
  const memory = memoryGiB[place % memoryGiB.length] ?? 1;
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata: {
      name: `${name}-${place}`,
      namespace,
      labels: { "kubevirt.io/domain": `${name}-${place}` },
      annotations,
    },
    spec: {
      ...(evictionStrategy !== undefined && { evictionStrategy }),
      domain: { cpu: { cores: Math.max(1, memory >> 2) }, devices: {}, memory: { guest: `${memory}Gi` } },
    },
  };
}
