// Assesses the impact of a pending write on nodes and VMs once, with the user's permissions.

import type { Impact, KubeObject } from "@virt/api";
import { configInformer, infrastructureInformer, poolInformer } from "@virt/cluster";
import { assessed, assessImpact, impactInformers, neededReads, notAssessed } from "@virt/impact";
import { type Client, Discovery, type InformerSpec, readerFor } from "@virt/kube";
import { writeTime } from "@virt/objects";
import {
  type ClusterFacts,
  disruptionOfWrites,
  holdAtGate,
  type NodeWrite,
  nodeWriteOf,
  type Preview,
  readRebootGate,
  type ShownImpact,
  shapeOfObject,
  shownImpact,
} from "@virt/platform";
import { assessList, collectImpactFacts, listPolicies } from "../impact-facts.ts";
import { ImpactReads } from "../impact-reads.ts";
import { listOnce } from "../informer-lists.ts";

export type ImpactAsked = {
  readonly previews: readonly Preview[];
  readonly clusterFacts: ClusterFacts;
  readonly hco: KubeObject;
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly now: number;
};

export type PreviewImpact = {
  readonly shown: ShownImpact;
  /** The preview with the decision of the reboot gate. */
  readonly preview: Preview;
};

export async function readImpact(preview: Preview, asked: ImpactAsked): Promise<PreviewImpact | undefined> {
  const write = writeOf(preview, asked.clusterFacts);
  if (write === undefined || preview.decided === undefined) return undefined;
  const pending = asked.previews.flatMap((each) => writeOf(each, asked.clusterFacts) ?? []);
  const { own, rollout } = await assessWrites({ write, pending, asked });
  const gate = readRebootGate(asked.hco.metadata.annotations ?? {});
  const decision = holdAtGate(preview.decided.decision, { gate, disruption: own.disruption, rollout });
  return { shown: own.shown, preview: { ...preview, decided: { ...preview.decided, decision } } };
}

export function readCombinedImpact(asked: ImpactAsked): Promise<Impact | undefined> {
  return readImpactOfWrites(
    asked.previews.flatMap((each) => writeOf(each, asked.clusterFacts) ?? []),
    asked,
  );
}

/** Returns undefined if there are no writes. */
export async function readImpactOfWrites(
  pending: readonly NodeWrite[],
  asked: Omit<ImpactAsked, "previews">,
): Promise<Impact | undefined> {
  const [first] = pending;
  if (first === undefined) return undefined;
  return (await assessWrites({ write: first, pending, asked })).rollout.impact;
}

function writeOf({ object, decided, live }: Preview, clusterFacts: ClusterFacts): NodeWrite | undefined {
  return decided && nodeWriteOf(object, decided.decision, { live, shapeOf: shapeOfObject(object, clusterFacts) });
}

type Writes = {
  readonly write: NodeWrite;
  readonly pending: readonly NodeWrite[];
  readonly asked: Omit<ImpactAsked, "previews">;
};

async function assessWrites({ write, pending, asked }: Writes) {
  const { client, signal } = asked;
  const discovery = new Discovery(client);
  const specs = [...impactInformers, infrastructureInformer];
  const answers = new Map(
    await Promise.all(
      specs.map(async (spec) => [spec, assessList(await listOnce(spec, { client, discovery, signal }))] as const),
    ),
  );
  // The preview already listed the configs.
  const configs = assessed(asked.clusterFacts.plans as unknown as readonly KubeObject[]);
  const list = (spec: InformerSpec) =>
    spec === configInformer ? configs : (answers.get(spec) ?? notAssessed("Unavailable"));
  const listedPools = list(poolInformer);
  const pools = listedPools.isAssessed ? listedPools.value : [];
  const reader = readerFor({ client, discovery }, signal);
  const reads = new ImpactReads({ isPatient: false });
  const rendered = new Map<string, KubeObject>();
  const factsOf = (writes: readonly NodeWrite[]) =>
    collectImpactFacts({
      assessedAt: writeTime(asked.now),
      disruption: disruptionOfWrites(writes, pools, listPolicies(list)),
      renderedOf: (name) => rendered.get(name),
      list,
      hco: asked.hco,
      reads,
    });
  const needed = neededReads(factsOf(pending));
  for (const name of needed.configs) {
    const reading = await reader.read({ ...machineConfig, name });
    if (reading.kind === "found") rendered.set(name, reading.object);
  }
  await reads.loadAll(needed, { sender: client, discovery, reader, signal, now: 0 }, () => true);
  const [ownFacts, facts] = [factsOf([write]), factsOf(pending)];
  return {
    own: {
      disruption: listedPools.isAssessed ? assessed(ownFacts.disruption) : listedPools,
      shown: shownImpact(assessImpact(ownFacts)),
    },
    rollout: { disruption: facts.disruption, impact: assessImpact(facts), pools },
  };
}

const machineConfig = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig" };
