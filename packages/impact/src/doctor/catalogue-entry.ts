import type { FindingSeverity } from "@virt/api";

/** One type of finding. The templates follow `fillMessage` and `fillCommand`. */
export type CatalogueEntry = {
  /** Each severity applies from an age in seconds, in ascending order. */
  readonly ages: readonly { readonly severity: FindingSeverity; readonly seconds: number }[];
  /** The age in words, if it depends on the cluster. */
  readonly ageText?: string;
  readonly message: string;
  /** Read-only if `findingRemedies` offers options. Absent: describes the object. `none`: there is no command. */
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
/** The command prefix for the namespace of the HyperConverged, where KubeVirt runs. */
export const virt = "oc -n <hco>";
