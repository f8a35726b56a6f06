// State that only the running platform controller has: --activation and pending hardware changes, from its report.

import type { Json, KubeObject } from "@virt/api";
import { detectors, type HardwareChange } from "@virt/cluster";
import type { Client } from "@virt/kube";
import { asList, asText, at, readJson } from "@virt/objects";
import type { ActivationMode } from "@virt/platform";
import { findReports } from "../find-reports.ts";

export type ReportedState = {
  /** Undefined if there is no report, or the user may not read it. */
  readonly mode: ActivationMode | undefined;
  /** Namespace of the report, and so of the controller. Undefined without a report. */
  readonly namespace: string | undefined;
  readonly hardwareChanges: readonly HardwareChange[];
};

export const nothingReported: ReportedState = { mode: undefined, namespace: undefined, hardwareChanges: [] };

/** Reads the most recent report. Searches all namespaces unless one is given. */
export async function readReportedState(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<ReportedState> {
  const [latest] = (await findReports(client, signal, namespace)).reports;
  return latest === undefined ? nothingReported : stateIn(latest);
}

function stateIn(reported: KubeObject): ReportedState {
  try {
    const report = readJson(asText(at(reported, "data", "report.json")) ?? "");
    const mode = asText(at(report, "activation", "mode"));
    return {
      mode: mode === "always" || mode === "opt-in" ? mode : undefined,
      namespace: reported.metadata.namespace,
      hardwareChanges: asList(at(report, "hardwareChanges")).flatMap(changeIn),
    };
  } catch {
    return nothingReported;
  }
}

function changeIn(entry: Json): readonly HardwareChange[] {
  const [counted, seen] = [at(entry, "counted") ?? null, at(entry, "seen") ?? null];
  const countsAt = asText(at(entry, "countsAt")) ?? "";
  const name = asText(at(entry, "name"));
  if (name === "podSubnetPrefix" && isLength(counted) && isLength(seen)) return [{ name, counted, seen, countsAt }];
  const detector = detectors.find((one) => one === name);
  const isReadable = detector !== undefined && typeof counted === "boolean" && typeof seen === "boolean";
  return isReadable ? [{ name: detector, counted, seen, countsAt }] : [];
}

function isLength(value: Json): value is number | null {
  return value === null || typeof value === "number";
}
