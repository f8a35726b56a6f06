// Finds the report of the platform controller, which is in the controller's namespace, and reads the state that only
// the running controller has: --activation and pending hardware changes.

import { type Json, type KubeObject, usualOperatorNamespaces } from "@virt/api";
import { detectors, type HardwareChange } from "@virt/cluster";
import { type Client, Discovery, type InformerSpec, readerFor } from "@virt/kube";
import { asList, asText, at, readJson, readOwners } from "@virt/objects";
import { type ActivationMode, reportName } from "@virt/platform";
import { listOnce } from "./informer-lists.ts";

export type FindReportsResult = {
  /** The reports, most recent first. There are several if an earlier installation left one behind in another namespace. */
  readonly reports: readonly KubeObject[];
  /** The searched namespaces. Absent: all namespaces. */
  readonly namespaces?: readonly string[];
  /** The error from a namespace that could not be read. Absent if all were read. */
  readonly refusal?: string;
};

const report = { apiVersion: "v1", kind: "ConfigMap", name: reportName };

/** Searches all namespaces by default, or the usual ones if the user may not list all. */
export async function findReports(client: Client, signal: AbortSignal, namespace?: string): Promise<FindReportsResult> {
  const discovery = new Discovery(client);
  const spec: InformerSpec = { ...report, projection: { keep: "all" } };
  const listed = namespace === undefined ? await listOnce(spec, { client, discovery, signal }) : undefined;
  if (listed?.kind === "listed") return { reports: latestFirst(listed.items) };
  const reader = readerFor({ client, discovery }, signal);
  const namespaces = namespace === undefined ? usualOperatorNamespaces.platform : [namespace];
  const readings = await Promise.all(namespaces.map((each) => reader.read({ ...report, namespace: each })));
  const reports = readings.flatMap((one) => (one.kind === "found" ? [one.object] : []));
  const [refusal] = readings.flatMap((one) => ("message" in one ? [one.message] : []));
  return { reports: latestFirst(reports), namespaces, ...(refusal !== undefined && { refusal }) };
}

function latestFirst(reports: readonly KubeObject[]): readonly KubeObject[] {
  return reports.toSorted((left, right) => (writtenAt(left) < writtenAt(right) ? 1 : -1));
}

function writtenAt(object: KubeObject): string {
  const times = readOwners(object).flatMap(({ time }) => time ?? []);
  return times.toSorted().at(-1) ?? "";
}

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
