// What the catalogue says of each finding.

import type { FindingSeverity } from "@virt/api";

/** One kind of finding. Templates: see `fillMessage` and `fillCommand`. */
export type CatalogueEntry = {
  /** Severities with the age in seconds from which on each is meant, rising. */
  readonly ages: readonly { readonly severity: FindingSeverity; readonly seconds: number }[];
  /** The age in words, where the cluster decides about it. */
  readonly ageText?: string;
  readonly message: string;
  /** Changes nothing where `findingRemedies` offers a choice. Absent: the object is described. `none`: there is nothing to type. */
  readonly command?: string;
  /** What is looked at. */
  readonly detected: string;
  readonly cause: string;
  readonly remedy: string;
};

/** Blocking from that age on. */
export function blockingFrom(seconds: number): CatalogueEntry["ages"] {
  return [{ severity: "blocking", seconds }];
}

/** A warning from that age on. */
export function warningFrom(seconds: number): CatalogueEntry["ages"] {
  return [{ severity: "warning", seconds }];
}

/** Of the Machine Config Operator. */
export const mco = "oc -n openshift-machine-config-operator";
/** Of KubeVirt: the namespace of the HyperConverged. */
export const virt = "oc -n <hco>";
