import type { JsonMap } from "@virt/api";
import { asList, asText, at, readJson } from "@virt/objects";
import { expect } from "vitest";
import type { FullCluster } from "../support/full-cluster.ts";

const reportPath = "/api/v1/namespaces/virt-platform-operator-system/configmaps/virt-platform-operator-report";

export async function reportedChanges({ read }: FullCluster): Promise<readonly JsonMap[]> {
  const report = asText(at(await read(reportPath), "data", "report.json")) ?? "{}";
  return asList(at(readJson(report), "hardwareChanges")) as readonly JsonMap[];
}

export function untilWaiting(fullCluster: FullCluster, names: readonly string[]): Promise<void> {
  return fullCluster.until(async () =>
    expect((await reportedChanges(fullCluster)).map(({ name }) => name)).toEqual(names),
  );
}
