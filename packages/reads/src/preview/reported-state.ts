// What only the running platform controller knows, as its report states it: its --activation and the hardware changes that wait.

import type { Json } from "@virt/api";
import { asList, asText, at, readJson } from "@virt/engine";
import { detectors, type HardwareChange } from "@virt/facts";
import { type Client, Discovery, readerFor } from "@virt/kube";
import { type ActivationMode, reportName } from "@virt/platform";

export type ReportedState = {
  /** Undefined: no controller has reported, or you may not read its report. */
  readonly mode: ActivationMode | undefined;
  readonly hardwareChanges: readonly HardwareChange[];
};

export const nothingReported: ReportedState = { mode: undefined, hardwareChanges: [] };

export async function readReportedState(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<ReportedState> {
  const reader = readerFor({ sender: client, discovery: new Discovery(client) }, signal);
  const reading = await reader.read({ apiVersion: "v1", kind: "ConfigMap", name: reportName, namespace });
  return reading.kind === "found" ? stateIn(asText(at(reading.object, "data", "report.json")) ?? "") : nothingReported;
}

function stateIn(text: string): ReportedState {
  try {
    const report = readJson(text);
    const mode = asText(at(report, "activation", "mode"));
    return {
      mode: mode === "always" || mode === "opt-in" ? mode : undefined,
      hardwareChanges: asList(at(report, "hardwareChanges")).flatMap(changeIn),
    };
  } catch {
    return nothingReported; // not a report
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
