// The preview of an adoption in words, for the command line and the console.

import { activationAnnotation, autopilotAnnotation } from "@virt/api";
import { showValue, writeDotted } from "@virt/objects";
import { objectName } from "../evaluate/managed-objects.ts";
import { type AdoptionRow, isNodeObject } from "./adoption-row.ts";
import type { AdoptionPlan } from "./adoption-step.ts";

/** A row of the preview in words. */
export type AdoptionTableRow = {
  readonly theirs: string;
  readonly ours: string;
  readonly equal: "yes" | "no" | "-";
  readonly action: AdoptionRow["action"];
  readonly reboots: number;
  readonly why: string;
};

/** Returns the rows in the order of the preview. */
export function adoptionTable(rows: readonly AdoptionRow[]): readonly AdoptionTableRow[] {
  return rows.map((row) => ({
    theirs: objectName(row.theirs),
    ours: row.assets.join(", ") || "-",
    equal: row.isEqual === undefined ? "-" : row.isEqual ? "yes" : "no",
    action: row.action,
    reboots: row.reboots,
    why: reasonOf(row),
  }));
}

function reasonOf({ action, why, assets, rebootsIfReplaced = 0, theirs }: AdoptionRow): string {
  if (action !== "keep") return "";
  if (why !== undefined) return why;
  const [asset = ""] = assets;
  const effect = isNodeObject(theirs) ? `, which reboots ${nodeCount(rebootsIfReplaced)}` : "";
  return `to replace it, add --replace ${asset}${effect}`;
}

/** Returns a string such as `3 nodes`. */
export function nodeCount(nodes: number): string {
  return `${nodes} ${nodes === 1 ? "node" : "nodes"}`;
}

/** Returns a line for each field that taking over changes, such as `UIPlugin monitoring: spec.type from "a" to "b"`. */
export function adoptionChanges(rows: readonly AdoptionRow[]): readonly string[] {
  return rows
    .filter(({ action }) => action !== "keep")
    .flatMap(({ theirs, changes }) =>
      changes.map(
        ({ path, live, desired }) =>
          `${objectName(theirs)}: ${writeDotted(path)} from ${showValue(live)} to ${showValue(desired)}`,
      ),
    );
}

/** Returns the switches that the adoption sets on the HyperConverged, such as `enable-loadaware=true`. */
export function adoptedSwitches({ annotations }: Pick<AdoptionPlan, "annotations">): readonly string[] {
  return Object.entries(annotations)
    .filter(([key]) => key !== activationAnnotation && key !== autopilotAnnotation)
    .map(([key, value]) => `${key}=${value}`);
}
