import type { FindingSeverity } from "@virt/api";

/** One type of finding. See `fillMessage` and `fillCommand` for the syntax of the templates. */
export type CatalogueEntry = {
  /** The severities, each with the minimum age in seconds, in ascending order. */
  readonly ages: readonly { readonly severity: FindingSeverity; readonly seconds: number }[];
  /** The age for the documentation, if it depends on the cluster. */
  readonly ageText?: string;
  readonly message: string;
  /**
   * The command. It only reads if `findingRemedies` offers options. Absent means a command that describes the object,
   * and `none` means no command.
   */
  readonly command?: string;
  readonly detected: string;
  readonly cause: string;
  readonly remedy: string;
};

export function blockingFrom(seconds: number): CatalogueEntry["ages"] {
  return [{ severity: "blocking", seconds }];
}

export function warningFrom(seconds: number): CatalogueEntry["ages"] {
  return [{ severity: "warning", seconds }];
}

/** The command prefix for the namespace of the Machine Config Operator. */
export const mco = "oc -n openshift-machine-config-operator";
/** The command prefix for the HyperConverged's namespace, where KubeVirt runs. */
export const virt = "oc -n <hco>";
