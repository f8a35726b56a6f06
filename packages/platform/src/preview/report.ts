// The report: what pages and tools show of this controller without asking the controller.

import type { KubeObject } from "@virt/api";
import { utf8Length } from "@virt/engine";
import type { World } from "../evaluate/world.ts";
import type { ObjectRow } from "./object-row.ts";
import type { Exclusion, FeatureState } from "./pages.ts";

export const reportName = "virt-platform-operator-report";

export type Report = {
  readonly version: 1;
  readonly activation: { readonly mode: string; readonly isActive: boolean };
  /** Null: there is none, or nobody can say which. */
  readonly hco: { readonly apiVersion: string; readonly namespace: string } | null;
  readonly features: readonly FeatureState[];
  readonly objects: readonly ObjectRow[];
  readonly exclusions: readonly Exclusion[];
};

export function hcoOf({ hco }: World): Report["hco"] {
  return hco === undefined ? null : { apiVersion: hco.apiVersion, namespace: hco.namespace };
}

const mostBytes = 500_000; // an object may have a mebibyte, and whoever watches it gets all of it each time

/** Lists of fields go first when it grows too long: the objects themselves say them, too. */
export function writeReport(report: Report): string {
  const text = JSON.stringify(report);
  if (utf8Length(text) <= mostBytes) return text;
  const objects = report.objects.map((row) => ({ ...row, owned: [], released: [] }));
  return JSON.stringify({ ...report, objects, isCut: true });
}

export function reportObject(namespace: string, text: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: reportName, namespace },
    data: { "report.json": text },
  };
}
