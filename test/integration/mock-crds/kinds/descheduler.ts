import type { Subject } from "../subject.ts";
import { fieldsOf, sampleOf } from "./descheduler-fields.ts";
import type { Age } from "./descheduler-profiles.ts";

type Generation = {
  readonly release: string;
  readonly mock: string;
  readonly twins?: readonly string[];
  readonly age: Age;
};

function genuineFile(release: string): string {
  return `descheduler/kubedeschedulers-ocp${release}.yaml`;
}

const generations: readonly Generation[] = [
  { release: "4.17", mock: "kubedeschedulers-v510.yaml", age: "before" },
  { release: "4.18", mock: "kubedeschedulers-v514.yaml", age: "preview" },
  { release: "4.19", mock: "kubedeschedulers-v521.yaml", age: "preview" },
  { release: "4.21", mock: "kubedeschedulers-v532.yaml", twins: [genuineFile("4.22")], age: "now" },
];

function unknownIn(age: Age): Readonly<Record<string, unknown>> {
  const custom = "spec.profileCustomizations";
  const kubeVirt = {
    [`${custom}.devEnableSoftTainter`]: true,
    [`${custom}.devDeviationThresholds`]: "AsymmetricLow",
    [`${custom}.devActualUtilizationProfile`]: "PrometheusCPUCombined",
    "status.latestAvailableRevision": 1,
  };
  return { ...(age === "before" ? kubeVirt : {}), ...(age === "now" ? {} : { "spec.evictionLimits.node": 2 }) };
}

export const deschedulers: readonly Subject[] = generations.map(({ release, mock, twins = [], age }) => ({
  title: `a KubeDescheduler of ${release}`,
  mock,
  genuine: [{ file: genuineFile(release), twins }],
  mentioned: {
    "advisor.md 7.1": [
      "spec.managementState",
      "spec.deschedulingIntervalSeconds",
      "spec.mode",
      "spec.profiles",
      "spec.profileCustomizations",
      "spec.profileCustomizations.devEnableEvictionsInBackground",
      "spec.profileCustomizations.devEnableSoftTainter",
      "spec.profileCustomizations.devDeviationThresholds",
      "spec.evictionLimits",
      "spec.evictionLimits.total",
      "spec.evictionLimits.node",
    ],
    "platform.md 4.8": ["spec.profileCustomizations.devActualUtilizationProfile"],
    "workflow-guide.md 6, 10": ["spec.logLevel", "spec.operatorLogLevel", "spec.observedConfig"],
    simulator: [
      "status.observedGeneration",
      "status.readyReplicas",
      "status.version",
      "status.conditions",
      "status.generations",
      "status.latestAvailableRevision",
    ],
  },
  sample: sampleOf(age),
  fields: fieldsOf(age),
  unknown: unknownIn(age),
  cases: [
    { reason: "another name", set: { "metadata.name": "other" }, expect: age === "now" ? "refused" : "accepted" },
    { reason: "no spec", drop: ["spec"], expect: age === "before" ? "accepted" : "refused" },
    { reason: "an empty spec", set: { spec: {} }, expect: "accepted" },
    { reason: "limits only", set: { spec: { evictionLimits: { total: 5 } } }, expect: "accepted" },
  ],
}));
