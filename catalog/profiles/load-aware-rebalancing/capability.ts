// Detects the capabilities of the installed descheduler from its CRD schema, regardless of its version.

import type { Json, JsonMap } from "@virt/api";
import { asList, asText, at, isMap, member } from "@virt/objects";

export const deschedulerProfiles = [
  "KubeVirtRelieveAndMigrate",
  "DevKubeVirtRelieveAndMigrate",
  "LongLifecycle",
] as const;

export const softTainter = "devEnableSoftTainter";
export const utilizationProfile = "devActualUtilizationProfile";

export type DeschedulerProfile = (typeof deschedulerProfiles)[number];

export type Capability = {
  /** The profile to use. Undefined if the CRD lists no known profile. */
  readonly selected: DeschedulerProfile | undefined;
  /** The fields of `profileCustomizations` that have an effect. */
  readonly customizations: ReadonlySet<string>;
  readonly limits: ReadonlySet<string>;
  /** `byField` means only if `devActualUtilizationProfile` requests PSI, as in OpenShift 4.18. */
  readonly usesPsi: "always" | "byField" | "never";
  /** Reports whether a profile may be listed together with the selected one. */
  readonly isCompatible: (profile: string) => boolean;
};

/**
 * Returns the capabilities. If the schema or its list of profiles is missing, assumes the best profile without optional
 * fields.
 */
export function capabilityOf(schema: JsonMap | undefined): Capability {
  const spec = at(schema, "properties", "spec", "properties");
  const profiles = member(spec, "profiles");
  const offered = at(profiles, "items", "enum");
  const isOffered = (profile: string) => offered === undefined || asList(offered).includes(profile);
  const selected = deschedulerProfiles.find(isOffered);
  const rules = asList(member(profiles, "x-kubernetes-validations")).flatMap(
    (each) => asText(member(each, "rule")) ?? [],
  );
  const areApart = (profile: string) =>
    selected !== undefined && rules.some((rule) => isQuoted(rule, profile) && isQuoted(rule, selected));
  const customizations = customizationsOf(member(spec, "profileCustomizations"));
  return {
    selected,
    customizations,
    usesPsi: psiUseOf(selected, customizations),
    limits: new Set(fieldsOf(member(spec, "evictionLimits"))),
    isCompatible: (profile) => isOffered(profile) && !areApart(profile),
  };
}

/** Reports whether the profile is designed for VMs. Only these profiles accept customizations and limits. */
export function isKubeVirt(profile: DeschedulerProfile): boolean {
  return profile !== "LongLifecycle";
}

// A release whose soft tainter is not deprecated balances by requests, unless a field requests PSI. All others use PSI.
function psiUseOf(
  selected: DeschedulerProfile | undefined,
  customizations: ReadonlySet<string>,
): Capability["usesPsi"] {
  if (selected === undefined || !isKubeVirt(selected)) return "never";
  return customizations.has(softTainter) && customizations.has(utilizationProfile) ? "byField" : "always";
}

// A deprecated soft tainter is still in the CRD. Only its description shows the deprecation.
function customizationsOf(schema: Json | undefined): ReadonlySet<string> {
  const fields = fieldsOf(schema);
  const description = asText(at(schema, "properties", softTainter, "description")) ?? "";
  return new Set(/deprecated/i.test(description) ? fields.filter((field) => field !== softTainter) : fields);
}

function fieldsOf(schema: Json | undefined): readonly string[] {
  const fields = member(schema, "properties");
  return isMap(fields) ? Object.keys(fields) : [];
}

function isQuoted(rule: string, profile: string): boolean {
  return rule.includes(`'${profile}'`) || rule.includes(`"${profile}"`);
}
