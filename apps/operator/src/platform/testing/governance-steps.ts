// The steps of users, the advisor and the operator for the property-based test of the hand-over.

import { configKind, type KubeObject } from "@virt/api";
import fc from "fast-check";
import {
  type AssetName,
  assetNames,
  assetOf,
  type ConfigName,
  governedHco,
  type StreamName,
  streams,
} from "./governance-catalog.ts";
import type { GovernedStatus, Oracle } from "./governance-oracle.ts";
import type { GovernedCluster } from "./governed-cluster.ts";

type PersonStep =
  | { readonly do: "annotate"; readonly key: string; readonly value: string | undefined }
  | { readonly do: "act"; readonly config: ConfigName; readonly action: "Apply" | "DryRun" | "Ignore" | "delete" }
  | { readonly do: "advise"; readonly config: ConfigName }
  | { readonly do: "recreate HCO"; readonly isFromBackup: boolean }
  | { readonly do: "remove"; readonly asset: AssetName };
export type GovernanceStep =
  | PersonStep
  | { readonly do: "crash" }
  | { readonly do: "start" }
  | { readonly do: "govern" }
  | { readonly do: "catch up" }
  | { readonly do: "take the record away" }
  | { readonly do: "list"; readonly stream: StreamName }
  | { readonly do: "deliver"; readonly stream: StreamName }
  | { readonly do: "reconcile"; readonly asset: AssetName };

const configNames = Object.keys(assetOf) as readonly ConfigName[];

const anyConfig = fc.constantFrom(...configNames);
const anyAsset = fc.constantFrom(...assetNames);
const anyStream = fc.constantFrom(...streams);
const anyAnnotation = fc.oneof(
  fc.record({
    key: fc.constant("virt-platform-operator"),
    value: fc.constantFrom(undefined, "true", "false", "swap-enable", "swap-enable,psi-enable", "psi-enable"),
  }),
  fc.record({
    key: fc.constantFrom("enable-swap", "enable-loadaware", "prune"),
    value: fc.constantFrom(undefined, "true", "false"),
  }),
);
const person: fc.Arbitrary<PersonStep> = fc.oneof(
  { weight: 4, arbitrary: anyAnnotation.map((said): PersonStep => ({ do: "annotate", ...said })) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("act" as const),
      config: anyConfig,
      action: fc.constantFrom(
        "Apply" as const,
        "Apply" as const,
        "DryRun" as const,
        "Ignore" as const,
        "delete" as const,
      ),
    }),
  },
  { weight: 3, arbitrary: anyConfig.map((config): PersonStep => ({ do: "advise", config })) },
  { weight: 1, arbitrary: fc.boolean().map((isFromBackup): PersonStep => ({ do: "recreate HCO", isFromBackup })) },
  { weight: 1, arbitrary: anyAsset.map((asset): PersonStep => ({ do: "remove", asset })) },
);
const machine: fc.Arbitrary<GovernanceStep> = fc.oneof(
  { weight: 6, arbitrary: anyStream.map((stream): GovernanceStep => ({ do: "deliver", stream })) },
  { weight: 3, arbitrary: fc.constant<GovernanceStep>({ do: "govern" }) },
  { weight: 4, arbitrary: anyAsset.map((asset): GovernanceStep => ({ do: "reconcile", asset })) },
  { weight: 1, arbitrary: fc.constantFrom<GovernanceStep>({ do: "crash" }, { do: "take the record away" }) },
  { weight: 2, arbitrary: fc.constant<GovernanceStep>({ do: "start" }) },
  { weight: 3, arbitrary: anyStream.map((stream): GovernanceStep => ({ do: "list", stream })) },
);
const carriedOut = (config: ConfigName, action: "Apply" | "Ignore" | "delete"): readonly GovernanceStep[] => [
  { do: "act", config, action },
  { do: "advise", config },
];
const approval = anyConfig.map((config) => carriedOut(config, "Apply"));
const release = fc.record({ config: anyConfig, action: fc.constantFrom("Ignore" as const, "delete" as const) });
const result = release.map(({ config, action }) => carriedOut(config, action));
const opting = fc
  .constantFrom("true", "swap-enable", "swap-enable,psi-enable")
  .map((value): readonly GovernanceStep[] => [{ do: "annotate", key: "virt-platform-operator", value }]);
/** The operator sees the release before an earlier switch. */
const outrun = release.map(({ config, action }): readonly GovernanceStep[] => [
  ...carriedOut(config, "Apply"),
  { do: "catch up" },
  { do: "annotate", key: "virt-platform-operator", value: "swap-enable,psi-enable" },
  { do: "act", config, action },
  { do: "deliver", stream: "configs" },
  { do: "govern" },
  { do: "start" }, // completes before the following steps
  { do: "deliver", stream: "record" },
  { do: "deliver", stream: "hco" },
  { do: "catch up" },
]);
/** A plan is created and deleted before the operator sees it, while an earlier request is about to be executed. */
const unheard: readonly GovernanceStep[] = [
  { do: "catch up" },
  { do: "annotate", key: "virt-platform-operator", value: "swap-enable" },
  { do: "deliver", stream: "hco" },
  ...carriedOut("virt-higher-density", "Apply"),
  { do: "act", config: "virt-higher-density", action: "Ignore" },
  { do: "reconcile", asset: "swap-enable" },
];
/** A plan is created and deleted, and the operator sees both events before it stores anything. */
const brief: readonly GovernanceStep[] = [
  { do: "annotate", key: "virt-platform-operator", value: "swap-enable" },
  { do: "act", config: "virt-higher-density", action: "Ignore" },
  { do: "catch up" },
  { do: "remove", asset: "swap-enable" },
  ...carriedOut("virt-higher-density", "Apply"),
  { do: "deliver", stream: "configs" },
  { do: "deliver", stream: "configs" },
  { do: "act", config: "virt-higher-density", action: "delete" },
  { do: "deliver", stream: "configs" },
  { do: "reconcile", asset: "swap-enable" },
];
/** The user disables an existing object's feature, with pruning, while a plan governs the object. */
const pruning: readonly GovernanceStep[] = [
  { do: "annotate", key: "enable-swap", value: "true" },
  { do: "annotate", key: "virt-platform-operator", value: "swap-enable" },
  { do: "catch up" },
  ...carriedOut("virt-higher-density", "Apply"),
  { do: "catch up" },
  { do: "annotate", key: "enable-swap", value: "false" },
  { do: "annotate", key: "prune", value: "true" },
  { do: "catch up" },
  { do: "act", config: "virt-higher-density", action: "Ignore" },
  { do: "deliver", stream: "configs" },
  { do: "reconcile", asset: "swap-enable" },
];
export const anySteps = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: person.map((step) => [step]) },
      { weight: 6, arbitrary: machine.map((step) => [step]) },
      { weight: 4, arbitrary: fc.constant<readonly GovernanceStep[]>([{ do: "catch up" }]) },
      { weight: 3, arbitrary: approval },
      { weight: 3, arbitrary: result },
      { weight: 1, arbitrary: opting },
      { weight: 1, arbitrary: outrun },
      { weight: 1, arbitrary: fc.constantFrom(unheard, brief, pruning) },
    ),
    { minLength: 10, maxLength: 40, size: "max" },
  )
  .map((chunks) => chunks.flat());

let uids = 0;

export function runPersonStep(step: PersonStep, cluster: GovernedCluster, oracle: Oracle): void {
  switch (step.do) {
    case "annotate": {
      const { hco } = cluster;
      if (hco === undefined) return;
      const { [`platform.kubevirt.io/${step.key}`]: _gone, ...rest } = hco.metadata.annotations ?? {};
      const said = step.value === undefined ? rest : { ...rest, [`platform.kubevirt.io/${step.key}`]: step.value };
      const after = { ...hco, metadata: { ...hco.metadata, annotations: said } };
      oracle.said(hco, after);
      return cluster.setHco(after);
    }
    case "recreate HCO": {
      const said = cluster.hco?.metadata.annotations ?? {};
      cluster.setHco(undefined);
      uids += 1;
      const made = governedHco(`hco-${uids}`, {
        "virt-platform-operator": "swap-enable,psi-enable",
        "enable-loadaware": "true",
      });
      const annotations = step.isFromBackup ? (made.metadata.annotations ?? {}) : said;
      return cluster.setHco({ ...made, metadata: { ...made.metadata, annotations } });
    }
    case "act": {
      const before = cluster.configs.get(step.config);
      if (step.action === "delete") return before === undefined ? undefined : cluster.setConfig(step.config, undefined);
      uids += 1;
      const made: KubeObject = {
        ...configKind,
        metadata: { name: step.config, uid: `config-${uids}`, generation: 0 },
        status: {},
      };
      const config = before ?? made;
      const generation = (config.metadata["generation"] as number) + 1;
      const spec = { profile: step.config, action: step.action };
      return cluster.setConfig(step.config, { ...config, metadata: { ...config.metadata, generation }, spec });
    }
    case "advise": {
      const config = cluster.configs.get(step.config);
      if (config === undefined) return;
      const { action } = config["spec"] as { readonly action: string };
      const { executedGeneration, ...was } = config["status"] as GovernedStatus;
      const items = [{ targetRef: { apiVersion: "v1", kind: "Other", name: "x" }, appliedTime: "now" }];
      const generation = config.metadata["generation"] as number;
      const status =
        action === "Apply"
          ? { executedGeneration: generation, items }
          : action === "DryRun" && executedGeneration !== undefined
            ? { ...was, executedGeneration }
            : was;
      return cluster.setConfig(step.config, { ...config, status } as KubeObject);
    }
    case "remove":
      return void cluster.machineConfigs.delete(step.asset);
  }
}
