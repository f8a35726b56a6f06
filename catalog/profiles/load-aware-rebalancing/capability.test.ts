import type { Json, JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import { isGenuineThere, readGenuine, readMock } from "../../../test/integration/mock-crds/definitions.ts";
import { capabilityOf } from "./capability.ts";

const schemaOf = (version: string) => readMock(`kubedeschedulers-${version}.yaml`).schema as JsonMap;
const background = "devEnableEvictionsInBackground";
const written = [background, "devEnableSoftTainter", "devDeviationThresholds"];

const summary = (schema: JsonMap) => {
  const { selected, customizations, limits } = capabilityOf(schema);
  return { selected, customizations: written.filter((field) => customizations.has(field)), limits: [...limits] };
};

const generations = [
  {
    version: "v510",
    releases: ["4.17"],
    found: { selected: "LongLifecycle", customizations: [background], limits: ["total"] },
  },
  {
    version: "v514",
    releases: ["4.18"],
    found: { selected: "DevKubeVirtRelieveAndMigrate", customizations: written, limits: ["total"] },
  },
  {
    version: "v521",
    releases: ["4.19"],
    found: {
      selected: "DevKubeVirtRelieveAndMigrate",
      customizations: [background, "devDeviationThresholds"],
      limits: ["total"],
    },
  },
  {
    version: "v532",
    releases: ["4.21", "4.22"],
    found: {
      selected: "KubeVirtRelieveAndMigrate",
      customizations: [background, "devDeviationThresholds"],
      limits: ["total", "node"],
    },
  },
];

test.each(generations)("$version offers $found.selected", ({ version, found }) => {
  expect(summary(schemaOf(version))).toEqual(found);
});

test.runIf(isGenuineThere).each(generations)("$version is read as the genuine CRD is", ({ releases, found }) => {
  for (const release of releases) {
    const { schema } = readGenuine(`descheduler/kubedeschedulers-ocp${release}.yaml`, "v1");
    const genuine = summary(schema as JsonMap);
    expect({ ...genuine, limits: genuine.limits.toSorted() }).toEqual({ ...found, limits: found.limits.toSorted() });
  }
});

const withProfiles = (profiles: Json): JsonMap => ({ properties: { spec: { properties: { profiles } } } });
const offering = (...names: readonly string[]) => withProfiles({ items: { enum: names } });

const choices: readonly { reason: string; schema: JsonMap; selected: string | undefined }[] = [
  {
    reason: "the best comes first, wherever it is listed",
    schema: offering("LongLifecycle", "KubeVirtRelieveAndMigrate"),
    selected: "KubeVirtRelieveAndMigrate",
  },
  {
    reason: "the preview is better than nothing for VMs",
    schema: offering("LongLifecycle", "DevKubeVirtRelieveAndMigrate"),
    selected: "DevKubeVirtRelieveAndMigrate",
  },
  {
    reason: "a CRD that lists none is trusted to have the best",
    schema: withProfiles({ items: { type: "string" } }),
    selected: "KubeVirtRelieveAndMigrate",
  },
  { reason: "none of ours is none", schema: offering("CompactAndScale"), selected: undefined },
  { reason: "an empty list offers none", schema: offering(), selected: undefined },
];

test.each(choices)("$reason", ({ schema, selected }) => {
  expect(capabilityOf(schema).selected).toBe(selected);
});

const ruled = (rule: Json) => withProfiles({ "x-kubernetes-validations": [{ rule }] });

const rules: readonly { reason: string; schema: JsonMap; isCompatible: boolean }[] = [
  { reason: "no rule forbids nothing", schema: withProfiles({}), isCompatible: true },
  {
    reason: "a rule that quotes both keeps them apart",
    schema: ruled("!('AffinityAndTaints' in self && 'KubeVirtRelieveAndMigrate' in self)"),
    isCompatible: false,
  },
  {
    reason: "quotes may be double",
    schema: ruled('!("KubeVirtRelieveAndMigrate" in self && "AffinityAndTaints" in self)'),
    isCompatible: false,
  },
  {
    reason: "a rule about others does not",
    schema: ruled("!('AffinityAndTaints' in self && 'DevKubeVirtRelieveAndMigrate' in self)"),
    isCompatible: true,
  },
  {
    reason: "a profile that the CRD does not offer cannot be kept",
    schema: offering("KubeVirtRelieveAndMigrate"),
    isCompatible: false,
  },
  { reason: "a rule that is no text is no rule", schema: ruled(7), isCompatible: true },
];

test.each(rules)("$reason", ({ schema, isCompatible }) => {
  expect(capabilityOf(schema).isCompatible("AffinityAndTaints")).toBe(isCompatible);
});

test.each(["devEnableSoftTainter is DEPRECATED", "Deprecated: no effect"])(
  "a tainter described as '%s' is not used",
  (description) => {
    const fields = { properties: { devEnableSoftTainter: { description }, devDeviationThresholds: { description } } };
    const schema = { properties: { spec: { properties: { profileCustomizations: fields } } } };
    expect([...capabilityOf(schema).customizations]).toEqual(["devDeviationThresholds"]);
  },
);
