// A cluster with plans, switches and an operator that may lag, crash and restart.

import type { KubeObject } from "@virt/api";
import { type GovernanceRecord, readGovernanceRecord } from "@virt/platform";
import type { AssetName, ClusterWrite, ConfigName, Defect, Interruption, StreamName } from "./governance-catalog.ts";
import { LaggingOperator } from "./governance-operator.ts";

export class GovernedCluster {
  readonly machineConfigs = new Map<AssetName, KubeObject>();
  hco: KubeObject | undefined;
  readonly configs = new Map<ConfigName, KubeObject>();
  record: KubeObject | undefined;
  onWrite: (write: ClusterWrite) => void = () => undefined;
  onSeen: (config: KubeObject) => void = () => undefined;
  onRemembered: (config: KubeObject) => void = () => undefined;
  onStored: () => void = () => undefined;
  #version = 100;
  #operator: LaggingOperator | undefined;
  readonly #activation: "always" | "opt-in";
  readonly #defect: Defect | undefined;

  constructor(activation: "always" | "opt-in", defect?: Defect) {
    this.#activation = activation;
    this.#defect = defect;
  }

  stamp(object: KubeObject): KubeObject {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: `${this.#version}` } };
  }

  setHco(hco: KubeObject | undefined): void {
    this.hco = hco && this.stamp(hco);
    this.#emit("hco", hco === undefined ? [] : [this.hco as KubeObject]);
  }

  setConfig(name: ConfigName, config: KubeObject | undefined): void {
    if (config === undefined) this.configs.delete(name);
    else this.configs.set(name, this.stamp(config));
    this.#emit("configs", [...this.configs.values()]);
  }

  setRecord(record: KubeObject | undefined): KubeObject | undefined {
    this.record = record && this.stamp(record);
    this.#emit("record", this.record === undefined ? [] : [this.record]);
    return this.record;
  }

  stored(): GovernanceRecord | undefined {
    const read = readGovernanceRecord(this.record);
    return read.kind === "record" ? read.record : undefined;
  }

  get isSynced(): boolean {
    return this.#operator?.isSynced === true;
  }

  start(): void {
    this.#operator ??= new LaggingOperator(this, this.#activation, this.#defect);
  }

  crash(): void {
    this.#operator = undefined;
  }

  list(stream: StreamName): void {
    this.#operator?.list(stream);
  }

  deliver(stream: StreamName): void {
    this.#operator?.deliver(stream);
  }

  reconcileGovernance(during: Interruption): Promise<void> {
    return this.#operator?.reconcileGovernance(during) ?? Promise.resolve();
  }

  reconcileObject(asset: AssetName, during: Interruption): void {
    this.#operator?.reconcileObject(asset, during);
  }

  write(write: ClusterWrite): void {
    this.onWrite(write);
    const object = { apiVersion: "v1", kind: "MachineConfig", metadata: { name: write.asset, uid: "made" }, spec: {} };
    if (write.verb === "delete") this.machineConfigs.delete(write.asset);
    else this.machineConfigs.set(write.asset, this.stamp({ ...object, spec: { wanted: write.asset } }));
  }

  itemsOf(stream: StreamName): readonly KubeObject[] {
    if (stream === "configs") return [...this.configs.values()];
    const one = stream === "hco" ? this.hco : this.record;
    return one === undefined ? [] : [one];
  }

  #emit(stream: StreamName, items: readonly KubeObject[]): void {
    this.#operator?.queue(stream, items);
  }
}
