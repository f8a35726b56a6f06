// Kinds of KubeVirt's neighbours: OperationRuleSet, MigrationPolicy and PersesDashboard.

import type { Field, Subject } from "../subject.ts";
import { time } from "./parts.ts";

const operationRuleSet: Subject = {
  title: "an OperationRuleSet",
  mock: "operationrulesets.yaml",
  genuine: [{ file: "operators/ifo.kubevirt.io_operationrulesets.yaml" }],
  mentioned: {
    "profiles.md 3.4": [
      "spec.component",
      "spec.labels",
      ...["group", "version", "resource"].map((key) => `spec.target.${key}`),
      ...["operation", "expression"].map((key) => `spec.rules[].${key}`),
    ],
  },
  sample: {
    apiVersion: "ifo.kubevirt.io/v1alpha1",
    kind: "OperationRuleSet",
    metadata: { name: "vmim-rules" },
    spec: {
      component: "kubevirt",
      labels: { "ifo.kubevirt.io/correlation-group": "a" },
      labelExpressions: [{ key: "a", expression: "b" }],
      namespaces: ["a"],
      target: { group: "kubevirt.io", version: "v1", resource: "virtualmachineinstancemigrations" },
      rules: [{ operation: "Running", expression: "true" }],
    },
    status: { watchActive: true, observedGeneration: 1, lastEvaluationTime: time },
  },
  fields: [
    { path: "spec", isRequired: true, bad: [{}] },
    { path: "spec.component" },
    { path: "spec.labels", isOpen: true, good: [{}] },
    { path: "spec.labels{}" },
    { path: "spec.labelExpressions", good: [[]] },
    { path: "spec.labelExpressions[]", bad: [{}] },
    ...["key", "expression"].map((key) => ({ path: `spec.labelExpressions[].${key}`, isRequired: true, good: [""] })),
    { path: "spec.namespaces", good: [[]] },
    { path: "spec.namespaces[]" },
    { path: "spec.target", isRequired: true, bad: [{}] },
    ...["group", "version", "resource"].map((key) => ({ path: `spec.target.${key}`, isRequired: true, good: [""] })),
    { path: "spec.rules", isRequired: true, bad: [[]] },
    { path: "spec.rules[]", bad: [{}] },
    ...["operation", "expression"].map((key) => ({ path: `spec.rules[].${key}`, isRequired: true, good: [""] })),
    { path: "status", bad: [{}] },
    { path: "status.watchActive", isRequired: true },
    { path: "status.observedGeneration" },
    { path: "status.lastEvaluationTime", bad: ["yesterday"] },
  ],
};

const tuning = ["cooldownSeconds", "initialMs", "startAfterIteration", "steps"];

const migrationPolicy: Subject = {
  title: "a MigrationPolicy",
  mock: "migrationpolicies.yaml",
  genuine: [
    { file: "kubevirt/migrationpolicies-main.yaml" },
    {
      file: "kubevirt/migrationpolicies-1.9.yaml",
      except: [
        "spec.experimental",
        "spec.experimental.downtimeTuning",
        ...tuning.map((key) => `spec.experimental.downtimeTuning.${key}`),
      ],
    },
  ],
  mentioned: {
    "world.md 3.2": ["spec.selectors", "spec.maxDowntimeMs", "spec.experimental.downtimeTuning"],
    "profiles.md 4.2": [
      ...["selectors.namespaceSelector", "selectors.virtualMachineInstanceSelector"].map((name) => `spec.${name}`),
      ...["allowAutoConverge", "allowPostCopy", "bandwidthPerMigration", "completionTimeoutPerGiB"].map(
        (name) => `spec.${name}`,
      ),
    ],
    simulator: ["spec.selectors.namespaceSelector", "spec.selectors.virtualMachineInstanceSelector"],
  },
  sample: {
    apiVersion: "migrations.kubevirt.io/v1alpha1",
    kind: "MigrationPolicy",
    metadata: { name: "stun-time" },
    spec: {
      allowAutoConverge: true,
      allowPostCopy: true,
      allowWorkloadDisruption: true,
      bandwidthPerMigration: "1Gi",
      completionTimeoutPerGiB: 100,
      maxDowntimeMs: 1050,
      experimental: { downtimeTuning: Object.fromEntries(tuning.map((key) => [key, 1])) },
      selectors: { namespaceSelector: { a: "b" }, virtualMachineInstanceSelector: { a: "b" } },
    },
  },
  fields: [
    { path: "spec", isRequired: true, bad: [{}] },
    { path: "spec.selectors", isRequired: true, good: [{}] },
    ...["namespaceSelector", "virtualMachineInstanceSelector"].flatMap((key): readonly Field[] => [
      { path: `spec.selectors.${key}`, isOpen: true, good: [{}] },
      { path: `spec.selectors.${key}{}` },
    ]),
    ...["allowAutoConverge", "allowPostCopy", "allowWorkloadDisruption"].map((key) => ({ path: `spec.${key}` })),
    { path: "spec.bandwidthPerMigration", isIntOrString: true, good: [1, "64Mi"], bad: ["fast"] },
    { path: "spec.completionTimeoutPerGiB" },
    { path: "spec.maxDowntimeMs", good: [1, 2_000_000], bad: [0, 2_000_001] },
    { path: "spec.experimental", good: [{}] },
    { path: "spec.experimental.downtimeTuning", good: [{}] },
    ...tuning.map((key) => ({ path: `spec.experimental.downtimeTuning.${key}`, bad: [0] })),
  ],
};

const durations = { good: ["6h", "1d12h", "30s", "500ms"], bad: ["", "6", "1.5h", "6h1d"] };
const config = "spec.config";

const persesDashboard: Subject = {
  title: "a PersesDashboard",
  mock: "persesdashboards.yaml",
  genuine: [{ file: "operators/perses.dev_persesdashboards.yaml" }],
  mentioned: { "world.md 3.2": [config, `${config}.panels`, `${config}.layouts`, `${config}.duration`] },
  sample: {
    apiVersion: "perses.dev/v1alpha2",
    kind: "PersesDashboard",
    metadata: { name: "virt-platform-health", namespace: "probes" },
    spec: {
      config: {
        display: { name: "a", description: "b" },
        duration: "6h",
        refreshInterval: "30s",
        panels: {
          panel1: {
            kind: "Panel",
            spec: {
              display: { name: "a", description: "b" },
              plugin: { kind: "StatChart", spec: { calculation: "last-number" } },
              queries: [
                {
                  kind: "TimeSeriesQuery",
                  spec: { name: "a", plugin: { kind: "PrometheusTimeSeriesQuery", spec: { query: "up" } } },
                },
              ],
            },
          },
        },
        layouts: [{ kind: "Grid", spec: "any value" }],
      },
    },
  },
  fields: [
    { path: "spec", isRequired: true, bad: [{}] },
    { path: config, isRequired: true, bad: [{}] },
    { path: `${config}.display`, good: [{}] },
    { path: `${config}.display.name` },
    { path: `${config}.display.description` },
    { path: `${config}.duration`, isRequired: true, ...durations },
    { path: `${config}.refreshInterval`, ...durations },
    { path: `${config}.panels`, isRequired: true, isOpen: true, good: [{}] },
    { path: `${config}.layouts`, isRequired: true, good: [[]] },
    { path: `${config}.layouts[]`, bad: [{}] },
    { path: `${config}.layouts[].kind`, isRequired: true },
  ],
};

export const operations: readonly Subject[] = [operationRuleSet, migrationPolicy, persesDashboard];
