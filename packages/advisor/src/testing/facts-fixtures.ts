import { type Item, type KubeObject, profileManager, type Ref, type Spec, type Status } from "@virt/api";
import { targetKey } from "@virt/objects";
import type { ReconcileFacts } from "../facts.ts";
import type { Profile } from "../profile.ts";
import { generation, now, spec } from "./observed-fixtures.ts";
import { inputRef, machineTarget, smallProfile } from "./small-profile.ts";

export type FactsOverrides = Partial<Omit<ReconcileFacts, "config" | "live">> & {
  readonly spec?: Partial<Spec>;
  readonly status?: Status;
  readonly objects?: readonly KubeObject[];
  readonly profile?: Profile;
};

export const inputObject: KubeObject = { ...storedObject(inputRef), data: { limit: "5" } };

export function reconcileFacts({ spec: asked, status, objects = [], ...rest }: FactsOverrides = {}): ReconcileFacts {
  const keyed = new Map(objects.map((object) => [targetKey({ ...object, ...object.metadata }), object]));
  return {
    now,
    operator: { version: "v2", mustPin: false },
    config: {
      apiVersion: "advisor.kubevirt.io/v1alpha1",
      kind: "VirtPlatformConfig",
      metadata: { name: "small", generation },
      spec: spec({ profile: "small", ...asked }),
      ...(status && { status }),
    },
    profile: smallProfile,
    facts: { input: inputObject, ownNamespace: "own" },
    isServed: () => true,
    live: (ref) => keyed.get(targetKey(ref)),
    pools: [workerPoolObject("rendered-1")],
    renderedOf: () => undefined,
    isForDraft: true,
    statusOrigin: "own",
    ...rest,
  };
}

export function storedObject(
  ref: Ref,
  given: object = {},
  manager: string = profileManager(smallProfile.name),
): KubeObject {
  const { apiVersion, kind, name, namespace } = ref;
  const fieldsV1 = { "f:spec": { "f:kernelArguments": {} }, "f:data": {} };
  const managedFields = [{ manager, operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1 }];
  const metadata = {
    name,
    ...(namespace && { namespace }),
    uid: `uid of ${name}`,
    resourceVersion: "7",
    managedFields,
  };
  return { ...given, apiVersion, kind, metadata };
}

export const kernelObject = (argument = "a=1", manager?: string): KubeObject => {
  const object = storedObject(machineTarget, { spec: { kernelArguments: [argument] } }, manager);
  const labels = { "machineconfiguration.openshift.io/role": "worker" };
  return { ...object, metadata: { ...object.metadata, labels } };
};

/** A pool that has rolled out the MachineConfigs that it lists. */
export function workerPoolObject(configuration: string, sources: readonly string[] = [machineTarget.name]): KubeObject {
  return {
    apiVersion: machineTarget.apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: "worker" },
    spec: { configuration: { name: configuration, source: sources.map((name) => ({ name })) } },
    status: {
      machineCount: 3,
      updatedMachineCount: 3,
      readyMachineCount: 3,
      configuration: { name: configuration },
      conditions: [{ type: "Updated", status: "True" }],
    },
  };
}

export const itemNamed = (items: readonly Item[], wanted: string): Item => {
  const item = items.find(({ name }) => name === wanted);
  if (item === undefined) throw new Error(`there is no item ${wanted}`);
  return item;
};
