// A cluster in which virt-platform-autopilot may run. It always applies with force.

import { autopilotName, type JsonMap, type KubeObject, managedByLabel } from "@virt/api";
import { writeTime } from "@virt/objects";
import { type Asset, defineAsset } from "../asset.ts";
import type { Counterpart } from "../autopilot/counterpart.ts";
import { objectKey } from "../evaluate/managed-objects.ts";
import { exactAnnotation } from "../hco-annotations.ts";
import { paths, SmallCluster } from "./small-cluster.ts";

const keyPrefix = "platform.kubevirt.io/";
const hcoApi = "hco.kubevirt.io/v1";
export const hcoKey = "HyperConverged/cnv/hco";

const thingRef = (name: string) => ({ apiVersion: "a.io/v1", kind: "Thing", name });
const thingOf = (name: string, spec: JsonMap): KubeObject => ({ apiVersion: "a.io/v1", kind: "Thing", metadata: { name }, spec }); // biome-ignore format: one line
const hcoRef = { apiVersion: hcoApi, kind: "HyperConverged", name: "hco", namespace: "cnv" };

const hcoOf = (marks: JsonMap, spec: JsonMap): KubeObject => ({
  apiVersion: hcoApi,
  kind: "HyperConverged",
  metadata: { name: "hco", namespace: "cnv", ...marks },
  spec,
});

const counterpart = (theirs: string, ours: string, appliedWith: string): Counterpart => ({
  theirs: [thingRef(theirs)],
  ours: [{ kind: "Thing", name: ours }],
  appliedWith,
  content: "differs",
  adoption: "keep",
  replacementReboots: false,
});

const common = {
  feature: { name: "things", description: "", maturity: "GA" },
  tier: "always-on",
  phase: 1,
  order: 1,
  needs: [],
  dependency: "optional",
  impact: "none",
  reads: {},
} as const;

type Declared = Pick<Asset, "adoption"> & Partial<Pick<Asset, "counterparts" | "alternates" | "switch" | "create">>;

const thing = (name: string, spec: JsonMap, declared: Declared): Asset =>
  defineAsset({
    ...common,
    ...declared,
    name,
    target: thingRef(name),
    render: () => thingOf(name, spec),
  });

/** `panel`: always theirs. `gate`, `lift`: with a switch. `swap`: under another name. `alone`: ours only. */
export const coexistingAssets: readonly Asset[] = [
  thing("panel", { size: 1, colour: "ours" }, { adoption: "whole", counterparts: [counterpart("panel", "panel", "always")] }), // biome-ignore format: one line
  thing("gate", { size: 1 }, { adoption: "whole", counterparts: [counterpart("gate", "gate", "enable-gate")] }),
  thing(
    "swap",
    { size: 1 },
    {
      adoption: "whole",
      counterparts: [counterpart("their-swap", "swap", "always")],
      alternates: [thingRef("their-swap")],
    },
  ),
  thing("alone", { size: 1 }, { adoption: "whole" }),
  thing("lift", { a: 1, b: 1 }, { adoption: "fieldwise", counterparts: [counterpart("lift", "lift", "enable-lift")] }),
  defineAsset({
    ...common,
    name: "golden",
    phase: 0,
    order: 0,
    target: hcoRef,
    adoption: "fieldwise",
    create: false,
    render: () => hcoOf({}, { x: 1, y: 1 }),
  }),
];

const label = { [managedByLabel.key]: autopilotName };
const theirThings: readonly { readonly name: string; readonly spec: JsonMap; readonly key: string }[] = [
  { name: "panel", spec: { size: 1, colour: "theirs" }, key: "always" },
  { name: "their-swap", spec: { size: 2 }, key: "always" },
  { name: "gate", spec: { size: 1 }, key: "enable-gate" },
  { name: "lift", spec: { a: 2 }, key: "enable-lift" },
];

export type AutopilotKind = {
  /** An early release obeys only `true` or a list. */
  readonly isEarly: boolean;
  /** It owns a field of the HyperConverged that is also ours. */
  readonly takesField: boolean;
};

export class CoexistingCluster {
  readonly objects = new Map<string, SmallCluster>();
  deployment: KubeObject | undefined;
  now = 1_800_000_000_000;
  /** Objects that the autopilot has written, since its first write. */
  readonly written = new Set<string>();
  #stamp = 0;
  readonly #kind: AutopilotKind;

  constructor(kind: AutopilotKind) {
    this.#kind = kind;
    this.objects.set(hcoKey, new SmallCluster(hcoOf({}, { x: 1 })));
  }

  get hco(): KubeObject {
    return this.live(hcoKey) as KubeObject;
  }

  live(key: string): KubeObject | undefined {
    return this.objects.get(key)?.live;
  }

  /** Returns the object, which a manager is about to create if it is absent. */
  created(ref: Parameters<typeof objectKey>[0] & { readonly apiVersion: string }): SmallCluster {
    const key = objectKey(ref);
    const known = this.objects.get(key);
    if (known !== undefined) return known;
    const { apiVersion, kind, name, namespace } = ref;
    const made = new SmallCluster({ apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } });
    this.objects.set(key, made);
    return made;
  }

  annotate(key: string, name: string, value: string | undefined, manager = "person"): void {
    const [path] = paths("metadata/annotations");
    this.objects.get(key)?.update(manager, [[[...(path ?? []), `f:${keyPrefix}${name}`], value]], this.now);
  }

  deploy(replicas: number | undefined): void {
    this.#stamp += 1;
    const since = { lastTransitionTime: writeTime(this.now - (this.now % 1000)) };
    this.deployment =
      replicas === undefined
        ? undefined
        : {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: autopilotName, namespace: "cnv", uid: `d${this.#stamp}` },
            spec: { replicas },
            status: { conditions: [{ type: "Available", status: "True", ...since }] },
          };
  }

  #isOn(): boolean {
    const said = (exactAnnotation(this.hco.metadata.annotations ?? {}, `${keyPrefix}autopilot`) ?? "").trim();
    const isOn = this.#kind.isEarly ? said !== "" && said !== "false" : said !== "false";
    return isOn && this.deployment !== undefined && (this.deployment["spec"] as JsonMap)["replicas"] !== 0;
  }

  /** Applies all objects of the autopilot. It leaves alone what is unmanaged. */
  runAutopilot(): void {
    if (!this.#isOn()) return;
    const annotations = { ...label, [`${keyPrefix}version`]: "1" };
    this.#force(hcoOf({ annotations }, this.#kind.takesField ? { x: 2 } : {}));
    for (const { name, spec: wanted, key } of theirThings) {
      const isWanted = key === "always" || this.hco.metadata.annotations?.[`${keyPrefix}${key}`]?.trim() === "true";
      if (isWanted) this.#force(thingOf(name, wanted));
    }
  }

  #force(wanted: KubeObject): void {
    const { apiVersion, kind, metadata } = wanted;
    const { name, namespace } = metadata;
    const key = objectKey({ kind, name, ...(namespace && { namespace }) });
    if (this.live(key)?.metadata.annotations?.[`${keyPrefix}mode`]?.trim() === "unmanaged") return;
    const object = this.created({ apiVersion, kind, name, ...(namespace && { namespace }) });
    const labelled = { ...wanted, metadata: { ...metadata, labels: label } };
    object.apply(autopilotName, labelled, this.now);
    this.written.add(key);
  }
}
