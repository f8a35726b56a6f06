import { type Tree, valueAt } from "./paths.ts";

export type Capabilities = {
  readonly profiles: readonly string[];
  readonly customizations: readonly string[];
  readonly limits: readonly string[];
  readonly softTainter: "absent" | "usable" | "deprecated";
  readonly pairs: readonly string[];
};

export function capabilitiesOf(schema: Tree): Capabilities {
  const spec = valueAt(schema, "properties.spec.properties") as Tree;
  const fieldsOf = (name: string) => valueAt(spec, `${name}.properties`) as Tree;
  const tainter = fieldsOf("profileCustomizations")["devEnableSoftTainter"] as { description?: string } | undefined;
  const isDeprecated = /deprecated/i.test(tainter?.description ?? "");
  const rules = (valueAt(spec, "profiles.x-kubernetes-validations") ?? []) as readonly { rule: string }[];
  return {
    profiles: (valueAt(spec, "profiles.items.enum") as readonly string[]).toSorted(),
    customizations: Object.keys(fieldsOf("profileCustomizations")).toSorted(),
    limits: Object.keys(fieldsOf("evictionLimits")).toSorted(),
    softTainter: tainter === undefined ? "absent" : isDeprecated ? "deprecated" : "usable",
    pairs: rules.flatMap(({ rule }) => quotedPair(rule)).toSorted(),
  };
}

function quotedPair(rule: string): readonly string[] {
  const quoted = [...new Set([...rule.matchAll(/'([^']+)'/g)].flatMap(([, name]) => name ?? []))];
  return quoted.length === 2 ? [quoted.toSorted().join(" ")] : [];
}
