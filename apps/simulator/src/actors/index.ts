// Who acts in the simulated cluster, in this order: one line each.

import type { Actor } from "../world.ts";
import { descheduler } from "./descheduler.ts";
import { faults } from "./faults.ts";
import { hyperConverged } from "./hyperconverged.ts";
import { kubeletConfigs } from "./kubelet-configs.ts";
import { kubevirt } from "./kubevirt.ts";
import { machineConfigNodes } from "./machine-config-nodes.ts";
import { machineConfigOperator } from "./machine-config-operator.ts";
import { nodeLifecycle } from "./node-lifecycle.ts";
import { setup } from "./setup.ts";

export const actors: readonly Actor[] = [
  setup,
  faults,
  hyperConverged,
  descheduler,
  kubeletConfigs,
  machineConfigOperator,
  nodeLifecycle,
  machineConfigNodes,
  kubevirt,
];
