// The simulated controllers in the order in which they reconcile.

import type { SimulatedController } from "../cluster-state.ts";
import { reconcileAutopilot } from "./autopilot.ts";
import { reconcileDescheduler } from "./descheduler.ts";
import { reconcileDisruptionPolicies } from "./disruption-policies.ts";
import { reconcileHyperConverged } from "./hyperconverged.ts";
import { reconcileKubeletConfigs } from "./kubelet-configs.ts";
import { reconcileKubevirt } from "./kubevirt.ts";
import { reconcileKubevirtObject } from "./kubevirt-object.ts";
import { reconcilePools } from "./machine-config-controller.ts";
import { reconcileNodes } from "./machine-config-daemon.ts";
import { reconcileMachineConfigNodes } from "./machine-config-nodes.ts";
import { reconcileNodeHealthChecks } from "./node-health-checks.ts";
import { reconcilePods } from "./pods.ts";
import { createScenarioObjects, injectFaults } from "./scenario-objects.ts";
import { reconcileSchedulableNodes } from "./schedulable-nodes.ts";
import { reconcileVirtualMachines } from "./virtual-machine-owners.ts";

export const simulatedControllers: readonly SimulatedController[] = [
  createScenarioObjects,
  injectFaults,
  reconcileHyperConverged,
  reconcileAutopilot,
  reconcileKubevirtObject,
  reconcileDescheduler,
  reconcileKubeletConfigs,
  reconcileDisruptionPolicies,
  reconcilePools,
  reconcileNodes,
  reconcileMachineConfigNodes,
  reconcileSchedulableNodes,
  reconcileNodeHealthChecks,
  reconcileVirtualMachines,
  reconcileKubevirt,
  reconcilePods,
];
