// The --activation of the running platform controller, as its report states it.

import { asText, at, readJson } from "@virt/engine";
import { type Client, Discovery, readerFor } from "@virt/kube";
import { type ActivationMode, reportName } from "@virt/platform";

/** Undefined: no controller has reported, or you may not read its report. */
export async function readReportedMode(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<ActivationMode | undefined> {
  const reader = readerFor({ sender: client, discovery: new Discovery(client) }, signal);
  const reading = await reader.read({ apiVersion: "v1", kind: "ConfigMap", name: reportName, namespace });
  return reading.kind === "found" ? modeIn(asText(at(reading.object, "data", "report.json")) ?? "") : undefined;
}

function modeIn(report: string): ActivationMode | undefined {
  try {
    const mode = asText(at(readJson(report), "activation", "mode"));
    return mode === "always" || mode === "opt-in" ? mode : undefined;
  } catch {
    return undefined; // not a report
  }
}
