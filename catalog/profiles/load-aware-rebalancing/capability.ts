// What the installed descheduler can do, read from the schema of its CRD and never from a version number.

import type { Json, JsonMap } from "@virt/api";
import { asList, asText, at, isMap, member } from "@virt/engine";

export const deschedulerProfiles = [
  "KubeVirtRelieveAndMigrate",
  "DevKubeVirtRelieveAndMigrate",
  "LongLifecycle",
] as const;

export const softTainter = "devEnableSoftTainter";
export const utilizationProfile = "devActualUtilizationProfile";

/** A profile of the descheduler, the best first. */
export type DeschedulerProfile = (typeof deschedulerProfiles)[number];

export type Capability = {
  /** Undefined: it offers none that we know. */
  readonly selected: DeschedulerProfile | undefined;
  /** Members of `profileCustomizations` that still have an effect. */
  readonly customizations: ReadonlySet<string>;
  /** Members of `evictionLimits`. */
  readonly limits: ReadonlySet<string>;
  /** The profile balances by pressure. `byField`: only if `devActualUtilizationProfile` asks for it, as in OpenShift 4.18. */
  readonly usesPsi: "always" | "byField" | "never";
  /** Whether a profile may stand in the list beside the selected one. */
  readonly isCompatible: (profile: string) => boolean;
};

/** Without a schema, or one that lists no profiles, the best profile is taken for granted, but no field is. */
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

/** Made for VMs: such a profile takes customizations and limits. */
export function isKubeVirt(profile: DeschedulerProfile): boolean {
  return profile !== "LongLifecycle";
}

// The release whose soft tainter is not deprecated is the one that balances by requests unless a field says otherwise.
function psiUseOf(
  selected: DeschedulerProfile | undefined,
  customizations: ReadonlySet<string>,
): Capability["usesPsi"] {
  if (selected === undefined || !isKubeVirt(selected)) return "never";
  return customizations.has(softTainter) && customizations.has(utilizationProfile) ? "byField" : "always";
}

// One field is still taken where it is out of use; only its description says so.
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
