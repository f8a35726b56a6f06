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

test.runIf(isGenuineThere).each(generations)("$version matches the genuine CRD", ({ releases, found }) => {
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
    reason: "selects the best profile regardless of order",
    schema: offering("LongLifecycle", "KubeVirtRelieveAndMigrate"),
    selected: "KubeVirtRelieveAndMigrate",
  },
  {
    reason: "prefers the preview profile to none for VMs",
    schema: offering("LongLifecycle", "DevKubeVirtRelieveAndMigrate"),
    selected: "DevKubeVirtRelieveAndMigrate",
  },
  {
    reason: "assumes the best profile if the CRD lists none",
    schema: withProfiles({ items: { type: "string" } }),
    selected: "KubeVirtRelieveAndMigrate",
  },
  { reason: "selects none if the CRD lists only others", schema: offering("CompactAndScale"), selected: undefined },
  { reason: "selects none from an empty list", schema: offering(), selected: undefined },
];

test.each(choices)("$reason", ({ schema, selected }) => {
  expect(capabilityOf(schema).selected).toBe(selected);
});

const ruled = (rule: Json) => withProfiles({ "x-kubernetes-validations": [{ rule }] });

const rules: readonly { reason: string; schema: JsonMap; isCompatible: boolean }[] = [
  { reason: "no rule excludes nothing", schema: withProfiles({}), isCompatible: true },
  {
    reason: "a rule with both names excludes the profile",
    schema: ruled("!('AffinityAndTaints' in self && 'KubeVirtRelieveAndMigrate' in self)"),
    isCompatible: false,
  },
  {
    reason: "a rule may use double quotes",
    schema: ruled('!("KubeVirtRelieveAndMigrate" in self && "AffinityAndTaints" in self)'),
    isCompatible: false,
  },
  {
    reason: "a rule about other profiles excludes nothing",
    schema: ruled("!('AffinityAndTaints' in self && 'DevKubeVirtRelieveAndMigrate' in self)"),
    isCompatible: true,
  },
  {
    reason: "excludes a profile that the CRD does not offer",
    schema: offering("KubeVirtRelieveAndMigrate"),
    isCompatible: false,
  },
  { reason: "ignores a rule that is not a text", schema: ruled(7), isCompatible: true },
];

test.each(rules)("$reason", ({ schema, isCompatible }) => {
  expect(capabilityOf(schema).isCompatible("AffinityAndTaints")).toBe(isCompatible);
});

test.each(["devEnableSoftTainter is DEPRECATED", "Deprecated: no effect"])(
  "does not use a tainter described as '%s'",
  (description) => {
    const fields = { properties: { devEnableSoftTainter: { description }, devDeviationThresholds: { description } } };
    const schema = { properties: { spec: { properties: { profileCustomizations: fields } } } };
    expect([...capabilityOf(schema).customizations]).toEqual(["devDeviationThresholds"]);
  },
);
