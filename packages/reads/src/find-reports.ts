// Finds the platform controller's report, which is in the controller's namespace.

import { type KubeObject, usualOperatorNamespaces } from "@virt/api";
import { type Client, Discovery, type InformerSpec, readerFor } from "@virt/kube";
import { readOwners } from "@virt/objects";
import { reportName } from "@virt/platform";
import { listOnce } from "./list-once.ts";

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
