// Maps changes of cached objects to the affected managed objects.

import type { KubeObject } from "@virt/api";
import { autopilotMarks } from "@virt/cluster";
import type { Controller, InformerSpec } from "@virt/kube";
import { askedAnew, hcoContent, objectKey } from "@virt/platform";
import { isAdmissionInformer } from "@virt/reads";
import { noteAutopilotWrite } from "./presence.ts";
import { refOf } from "./report.ts";
import type { PlatformRecords, PlatformRuntime } from "./runtime.ts";
import { isHco } from "./snapshot.ts";
import type { ConcernedKeys, SnapshotCache } from "./wanted-informers.ts";

type Change = { readonly before?: KubeObject; readonly after?: KubeObject };
type ChangeHandlers = Required<Pick<Controller, "keysFor" | "keysWhen">>;
type ChangedPlatform = {
  readonly runtime: Pick<PlatformRuntime, "records" | "rebootImpact" | "refresh" | "clock" | "find" | "settings">;
  readonly snapshots: SnapshotCache;
};

export const allObjectsKey = "everything";

/** Reports whether the change affects only the HyperConverged itself, and not the objects that are rendered from it. */
export function isOwnHcoChange(spec: InformerSpec, { before, after }: Change): boolean {
  return isHco(spec) && before !== undefined && after !== undefined && hcoContent(before) === hcoContent(after);
}

export function roundChanges({ runtime, snapshots }: ChangedPlatform): ChangeHandlers {
  const keysOf = (spec: InformerSpec) => {
    if (concernOf(spec, { runtime, snapshots })?.kind !== "all") return [];
    snapshots.changed("all");
    runtime.refresh();
    return [allObjectsKey];
  };
  return {
    keysFor: (spec, change) => {
      // The state of the autopilot depends on its fields of the HyperConverged, and on its writes to any object.
      const isItsWrite = noteAutopilotWrite(change.after, runtime);
      if (isItsWrite && !isHco(spec)) {
        snapshots.changed("all");
        return [allObjectsKey];
      }
      return isOwnHcoChange(spec, change) && !isAutopilotChange(change) ? [] : keysOf(spec);
    },
    keysWhen: ({ spec }) => keysOf(spec),
  };
}

/** Reports whether the autopilot took or gave up the object or a field of it. */
function isAutopilotChange({ before, after }: Change): boolean {
  return before !== undefined && after !== undefined && autopilotMarks(before) !== autopilotMarks(after);
}

export function objectChanges({ runtime, snapshots }: ChangedPlatform): ChangeHandlers {
  const keysOf = (spec: InformerSpec, isExistenceChanged: boolean) => {
    if (isAdmissionInformer(spec)) return askMutatedAgain(runtime.records);
    const concern = concernOf(spec, { runtime, snapshots });
    if (concern?.kind !== "some") return [];
    const { shown, readers } = concern;
    // An object can yield to another one with the same purpose, so its creation or deletion affects all objects.
    if (isExistenceChanged) snapshots.changed(shown);
    if (readers.length > 0) {
      snapshots.changed(readers);
      runtime.refresh();
    }
    return [...shown, ...readers];
  };
  return {
    keysFor: (spec, change) => {
      const { before, after } = change;
      if (after !== undefined && isOwnHcoChange(spec, change)) return [objectKey(refOf(after))];
      return keysOf(spec, before === undefined || after === undefined || isAutopilotChange(change));
    },
    keysWhen: ({ spec }) => keysOf(spec, true),
  };
}

/** Returns the objects that a change of the informer affects. Inputs for impact and admission affect no object directly. */
function concernOf(spec: InformerSpec, { runtime, snapshots }: ChangedPlatform): ConcernedKeys | undefined {
  return isAdmissionInformer(spec) || runtime.rebootImpact.isInput(spec) ? undefined : snapshots.concern(spec);
}

/** Requeues the objects that admission mutates, because a change to webhooks or policies may have fixed them. */
function askMutatedAgain(records: PlatformRecords): readonly string[] {
  const keys = records.mutatedKeys();
  for (const record of keys.map((key) => records.object(key)))
    record.memory = record.memory && askedAnew(record.memory);
  return keys;
}
