// Plans the HyperConverged: limits, convergence and network of live migrations.

import type { PlannedItem } from "@virt/advisor";
import { contentForms, type JsonMap, type ObjectForm } from "@virt/api";
import { hcoForms, hyperConverged, valuesPath } from "../hyperconverged.ts";
import { type Convergence, type MigrationFacts, optionFields, optionsInForce, section } from "./facts.ts";
import type { Options } from "./options.ts";
import {
  changesNetwork,
  convergenceWarnings,
  loadAwareWarning,
  speedAfter,
  speedWarning,
  unreachableWarning,
} from "./warnings.ts";

const { kind, name } = hyperConverged;
const { fields, integer, kept, oneOf, optional, text } = contentForms;

export const bandwidthForm = text("[0-9]{1,6}(Ki|Mi|Gi|k|M|G)?", 8);
export const completionForm = integer(10, 1800);

const liveMigrationConfig = optional(
  fields({
    parallelMigrationsPerCluster: optional(integer(1, 200)),
    parallelOutboundMigrationsPerNode: optional(integer(1, 20)),
    bandwidthPerMigration: optional(bandwidthForm),
    completionTimeoutPerGiB: optional(completionForm),
    progressTimeout: optional(integer(30, 3600)),
    allowAutoConverge: optional(oneOf(true, false)),
    allowPostCopy: optional(oneOf(true, false)),
    network: optional(text("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", 63)),
  }),
);

/** The allowed content of a plan, for all options. */
export const migrationForms: readonly ObjectForm[] = hcoForms({
  v1beta1: fields({ liveMigrationConfig }),
  v1: fields({ virtualization: kept(fields({ liveMigrationConfig })) }),
});

/** Applies the given values. The API server removes those of an earlier plan, and the defaults return. */
export function configureMigrations(given: Options | undefined, facts: MigrationFacts): PlannedItem {
  const { apiVersion, namespace } = facts.hco;
  const settings = optionsInForce(given);
  const values = valuesOf(settings);
  const names = Object.keys(values);
  const path = [...valuesPath(apiVersion), section];
  const content = path.reduceRight<JsonMap>((inner, key) => ({ [key]: inner }), values);
  const shown = Object.entries(values).map(([field, value]) => `${field}=${String(value)}`);
  return {
    name: "configure-live-migration",
    message:
      names.length > 0
        ? `${kind} '${name}' will be configured with ${shown.join(", ")}`
        : `The values of this profile will be removed from ${kind} '${name}'`,
    ...(names.length === 0 && { messageInPlace: `${kind} '${name}' has no values of this profile` }),
    operation: "Apply",
    target: { apiVersion, kind, name, namespace },
    desired: {
      apiVersion,
      kind,
      metadata: { name, namespace },
      ...(names.length > 0 && content),
    },
    managedFields: names.map((field) => [...path, field].join(".")),
    warnings: [
      ...convergenceWarnings(settings.convergence),
      ...unreachableWarning(settings, facts),
      ...loadAwareWarning(settings, facts),
      ...speedWarning(settings, speedAfter(settings, facts.hco.object)),
    ],
    impact: { create: "Low", change: "Low" },
    changeImpact: (result) => (changesNetwork(result) ? "Medium" : "Low"),
  };
}

type PlainValues = Readonly<Record<string, string | number | boolean>>;

function valuesOf({ convergence, ...settings }: Options): PlainValues {
  const plain = Object.entries(optionFields).flatMap(([option, field]) => {
    const value = settings[option as keyof typeof optionFields];
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(plain), ...(convergence !== undefined && convergenceValues(convergence)) };
}

/** Returns the fields of the HyperConverged and of a MigrationPolicy. */
export function convergenceValues(convergence: Convergence): Readonly<Record<string, boolean>> {
  return { allowAutoConverge: convergence === "AutoConverge", allowPostCopy: convergence === "PostCopy" };
}
