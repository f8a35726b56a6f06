// Finds the report of the platform controller, which is in the namespace that the controller runs in.

import { type KubeObject, usualOperatorNamespaces } from "@virt/api";
import { readOwners } from "@virt/engine";
import { type Client, Discovery, type InformerSpec, readerFor } from "@virt/kube";
import { reportName } from "@virt/platform";
import { listOnce } from "./list-once.ts";

export type FindReportsResult = {
  /** The latest first. Several, if an earlier installation left its report in another namespace. */
  readonly reports: readonly KubeObject[];
  /** Where the reports were looked for; undefined: in all namespaces. */
  readonly namespaces?: readonly string[];
  /** Why a namespace could not be read; absent: each of them could. */
  readonly refusal?: string;
};

const report = { apiVersion: "v1", kind: "ConfigMap", name: reportName };

/** Without a namespace it looks in all of them. If that is not allowed, it looks in those in which the operators usually run. */
export async function findReports(client: Client, signal: AbortSignal, namespace?: string): Promise<FindReportsResult> {
  const discovery = new Discovery(client);
  const spec: InformerSpec = { ...report, projection: { keep: "all" } };
  const listed = namespace === undefined ? await listOnce(spec, { client, discovery, signal }) : undefined;
  if (listed?.kind === "listed") return { reports: latestFirst(listed.items) };
  const reader = readerFor({ sender: client, discovery }, signal);
  const namespaces = namespace === undefined ? usualOperatorNamespaces.platform : [namespace];
  const readings = await Promise.all(namespaces.map((each) => reader.read({ ...report, namespace: each })));
  const reports = readings.flatMap((one) => (one.kind === "found" ? [one.object] : []));
  const [refusal] = readings.flatMap((one) => ("message" in one ? [one.message] : []));
  return { reports: latestFirst(reports), namespaces, ...(refusal !== undefined && { refusal }) };
}

function latestFirst(reports: readonly KubeObject[]): readonly KubeObject[] {
  return reports.toSorted((left, right) => (writtenAt(left) < writtenAt(right) ? 1 : -1));
}

/** RFC 3339. */
function writtenAt(object: KubeObject): string {
  const times = readOwners(object).flatMap(({ time }) => time ?? []);
  return times.toSorted().at(-1) ?? "";
}
