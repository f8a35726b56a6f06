// Plays KubeVirt as far as rollouts need it: machines on nodes, migrations, evictions.

import type { Agenda } from "../agenda.ts";
import { Placement } from "../placement.ts";
import type { Wish } from "../wish.ts";
import type { World } from "../world.ts";
import { evacuations, surplus } from "./evacuations.ts";
import { migrations } from "./migrations.ts";
import { virtualMachines } from "./virtual-machines.ts";

export function kubevirt(world: World, agenda: Agenda): readonly Wish[] {
  if (world.versionOf("VirtualMachineInstance") === undefined) return [];
  const round = { world, agenda, placement: new Placement(world) };
  const { wishes, moving } = migrations(round);
  return [...wishes, ...evacuations(world), ...surplus(world), ...virtualMachines(round, moving)];
}
