// Writes the updates of a rollout in a large cluster, one by one: VM migrations, node phases, events and reports.

import type { JsonMap } from "@virt/api";
import type { Server } from "@virt/testkit";
import { ok } from "./advisor-cluster.ts";
import {
  configPath,
  createEvent,
  largeCluster,
  machineConfigNodePath,
  newConfig,
  nodeName,
  nodePath,
  oldConfig,
  reportRollout,
  vmPath,
} from "./large-cluster.ts";
import type { Size } from "./scenario.ts";

const prefix = "machineconfiguration.openshift.io";

/** The Machine Config Operator's annotations on a node in each phase of an update, in order. */
const nodePhases: readonly { readonly phase: string; readonly annotations: JsonMap; readonly isCordoned: boolean }[] = [
  {
    phase: "Draining",
    annotations: {
      [`${prefix}/currentConfig`]: oldConfig,
      [`${prefix}/desiredConfig`]: newConfig,
      [`${prefix}/state`]: "Working",
      [`${prefix}/desiredDrain`]: `drain-${newConfig}`,
      [`${prefix}/lastAppliedDrain`]: `uncordon-${oldConfig}`,
      // Cleared, because an earlier round may have ended while this node was rebooting.
      [`${prefix}/post-config-action`]: null,
    },
    isCordoned: true,
  },
  { phase: "Applying", annotations: { [`${prefix}/lastAppliedDrain`]: `drain-${newConfig}` }, isCordoned: true },
  { phase: "Rebooting", annotations: { [`${prefix}/post-config-action`]: "Rebooting" }, isCordoned: true },
  {
    phase: "Done",
    annotations: {
      [`${prefix}/currentConfig`]: newConfig,
      [`${prefix}/state`]: "Done",
      [`${prefix}/post-config-action`]: null,
      [`${prefix}/desiredDrain`]: `uncordon-${newConfig}`,
      [`${prefix}/lastAppliedDrain`]: `uncordon-${newConfig}`,
    },
    isCordoned: false,
  },
];

export const nodePhaseAfter = (turn: number): string => nodePhases[turn % nodePhases.length]?.phase ?? "";

export async function advanceNode(api: Server, index: number, turn: number): Promise<void> {
  const { annotations, isCordoned } = nodePhases[turn % nodePhases.length] ?? { isCordoned: false };
  const body = { metadata: { annotations }, spec: { unschedulable: isCordoned ? true : null } };
  ok(await api.request({ method: "PATCH", path: nodePath(index), body }));
}

export async function moveVm(api: Server, index: number, node: string): Promise<void> {
  const migrationState = { targetNode: node, completed: true };
  const body = { metadata: { labels: { "kubevirt.io/nodeName": node } }, status: { nodeName: node, migrationState } };
  ok(await api.request({ method: "PATCH", path: vmPath(index), body }));
}

export async function nodeOfVm(api: Server, index: number): Promise<string | undefined> {
  const { body } = await api.request({ path: vmPath(index) });
  return (body as { readonly status?: { readonly nodeName?: string } }).status?.nodeName;
}

async function reportStep(api: Server, index: number, turn: number): Promise<void> {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, "");
  const steps = ["Cordoned", "Drained", "AppliedFilesAndOS", "RebootedNode"];
  const conditions = steps.map((type, at) => ({
    type,
    status: at < turn % steps.length ? "True" : "Unknown",
    reason: type,
    message: "",
    lastTransitionTime,
  }));
  const spec = { configVersion: { desired: newConfig } };
  const path = machineConfigNodePath(index);
  ok(await api.request({ method: "PATCH", path, body: { spec } }));
  ok(await api.request({ method: "PATCH", path: `${path}/status`, body: { status: { conditions } } }));
}

/** The fraction of nodes that update at a time, as with `maxUnavailable: 10%`. */
const inHandShare = 0.1;

/**
 * Returns a function that performs one update. Of every 20 updates, 13 are to VMs, 3 to nodes, 2 to reports, 1 is an
 * event and 1 a status.
 */
export function rolloutUpdates(api: Server, size: Size): (at: number) => Promise<void> {
  const { nodes, vms } = largeCluster[size];
  const inHand = Math.max(1, Math.floor(nodes * inHandShare));
  return async (at) => {
    const [slot, turn] = [at % 20, Math.floor(at / 20)];
    const wave = Math.floor(turn / (4 * inHand)) * inHand;
    const index = (wave + (turn % inHand)) % nodes;
    const phase = Math.floor(turn / inHand);
    if (slot < 13) await moveVm(api, (at * 7) % vms, nodeName((index + slot + 1) % nodes));
    else if (slot < 16) await advanceNode(api, (index + slot - 13) % nodes, phase);
    else if (slot < 18) await reportStep(api, (index + slot - 16) % nodes, phase);
    else if (slot === 18) await createEvent(api, at, `update-${at}-${Date.now()}`);
    else
      await reportRollout(api, {
        total: nodes,
        done: index,
        inHand: wavesNodes(wave, Math.min(inHand, nodes - index)),
      });
  };
}

function wavesNodes(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

/** Changes the phase, which the page shows on the profile's card. */
export async function setPhase(api: Server, phase: string): Promise<void> {
  ok(await api.request({ method: "PATCH", path: `${configPath}/status`, body: { status: { phase } } }));
}
