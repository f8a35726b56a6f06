// Previews the way back: what virt-platform-autopilot writes once it manages its objects again.

import {
  activationAnnotation,
  autopilotAnnotation,
  type Json,
  type KubeObject,
  managedByLabel,
  type Ref,
} from "@virt/api";
import { roleLabel } from "@virt/cluster";
import { canonicalJson, sha256 } from "@virt/objects";
import {
  type Counterpart,
  isCounterpartApplied,
  isNodeObject,
  type NodeFacts,
  type NodeWrite,
  objectAnnotations,
  objectKey,
  type Preview,
  placed,
  type ReturnPlan,
  rebootedNodes,
  refOfObject,
} from "@virt/platform";
import type { ReadCluster } from "./decide-adoption.ts";

/** `takes over`: the object exists. `creates`: our objects replaced it. */
export type ReturnRow = {
  readonly theirs: Ref;
  readonly action: "takes over" | "creates";
  /** The number of nodes that the autopilot reboots. */
  readonly reboots: number;
};

/** The objects that the autopilot writes, and the rebooted nodes. */
export type ReturnPreview = {
  readonly rows: readonly ReturnRow[];
  /** Our objects that would serve the same purpose as a created object. */
  readonly doubled: readonly Ref[];
  readonly reboots: number;
  readonly plan: ReturnPlan;
  /** False if the autopilot already manages its objects. */
  readonly isNeeded: boolean;
  readonly isAutopilotInstalled: boolean;
  readonly digest: string;
};

/** Writes nothing. */
export async function previewReturn(cluster: ReadCluster, table: readonly Counterpart[]): Promise<ReturnPreview> {
  const { hco, places, nodes, reads, isAutopilotInstalled } = cluster;
  const { previews, clusterFacts } = await cluster.preview();
  const facts = { annotations: hco.metadata.annotations ?? {} };
  const entries = table.filter((entry) => isCounterpartApplied(entry, facts));
  const listed = table.flatMap(({ theirs }) => theirs.map((ref) => placed(ref, places)));
  const known = new Map(previews.map(({ object, live }) => [objectKey(object.ref), live]));
  const others = listed.filter((ref) => !known.has(objectKey(ref)));
  await Promise.all(
    others.map(async (ref) => {
      const result = await reads.read(ref);
      known.set(objectKey(ref), result.kind === "found" ? result.object : undefined);
    }),
  );
  const found = entries.map((entry) =>
    returnedObjects(entry, { known, previews, place: (ref) => placed(ref, places), nodes }),
  );
  const rows = found.flatMap((one) => one.rows);
  const adopted = [...known.values()].filter(isMarked);
  const { activation } = clusterFacts;
  const isOff = facts.annotations[autopilotAnnotation] !== undefined;
  const doubled = distinct(found.flatMap((one) => one.doubled));
  const reboots = rebootedNodes(
    found.flatMap((one) => one.writes),
    nodes,
  );
  const shown = [rows, doubled, facts.annotations[activationAnnotation] ?? null] as unknown as Json;
  return {
    rows,
    doubled,
    reboots,
    plan: { hco, adopted },
    isNeeded: activation.isActive || isOff || adopted.length > 0,
    isAutopilotInstalled,
    digest: sha256(canonicalJson(shown)).slice(0, 12),
  };
}

function isMarked(object: KubeObject | undefined): object is KubeObject {
  return object?.metadata.annotations?.[objectAnnotations.adopt] !== undefined;
}

type KnownObjects = {
  readonly known: ReadonlyMap<string, KubeObject | undefined>;
  readonly previews: readonly Preview[];
  readonly place: (ref: Counterpart["theirs"][number]) => Ref;
  readonly nodes: NodeFacts;
};

type ReturnedObjects = {
  readonly rows: readonly ReturnRow[];
  readonly doubled: readonly Ref[];
  readonly writes: readonly NodeWrite[];
};

function returnedObjects({ theirs, ours, content }: Counterpart, facts: KnownObjects): ReturnedObjects {
  const { known, previews, place, nodes } = facts;
  const own = previews.flatMap(({ object: { ref }, live }) => {
    const isNamed = ours.some(({ kind, name }) => kind === ref.kind && name === ref.name);
    return isNamed && live !== undefined && isLabelledOurs(live) ? [live] : [];
  });
  const returned = theirs.map(place).flatMap((ref) => {
    const live = known.get(objectKey(ref));
    if (live === undefined && own.length === 0) return [];
    if (live !== undefined && !isLabelledOurs(live) && ref.kind !== "HyperConverged") return [];
    const isChanged = content === "differs" && isNodeObject(ref);
    const writes = isChanged ? [{ before: undefined, after: unknownContent(ref) }] : [];
    const action = live === undefined ? "creates" : "takes over";
    return [{ row: { theirs: ref, action, reboots: rebootedNodes(writes, nodes) } as const, writes }];
  });
  const isDoubled = returned.some(({ row }) => row.action === "creates");
  return {
    rows: returned.map(({ row }) => row),
    doubled: isDoubled ? own.map(refOfObject) : [],
    writes: returned.flatMap(({ writes }) => writes),
  };
}

function isLabelledOurs({ metadata: { labels = {} } }: KubeObject): boolean {
  return labels[managedByLabel.key] === managedByLabel.value;
}

/** Any content of the pool in the object's name. A change of kernel arguments always reboots. */
function unknownContent({ apiVersion, name }: Ref): KubeObject {
  const role = /(?:^|-)master(?:-|$)/.test(name) ? "master" : "worker";
  const metadata = { name, labels: { [roleLabel]: role } };
  return { apiVersion, kind: "MachineConfig", metadata, spec: { kernelArguments: [name] } };
}

function distinct(refs: readonly Ref[]): readonly Ref[] {
  return [...new Map(refs.map((ref) => [objectKey(ref), ref])).values()];
}
