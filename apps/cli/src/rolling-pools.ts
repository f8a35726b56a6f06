// The pools that roll now, whoever caused it, as `status` shows them.

import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { type PlatformWrite, type RollingPool, rollingPools, rollingPoolText } from "@virt/client";
import { asList, asText, at, readJson } from "@virt/engine";
import { listObjects, type Resource } from "@virt/kube";
import { reportName } from "@virt/platform";
import type { ClusterSession } from "./cluster-session.ts";
import { platformNamespace } from "./platform-namespace.ts";
import type { Block, StyledText } from "./printer.ts";

/** Undefined: pools cannot be listed. */
export async function readRollingPools(
  session: ClusterSession,
  configs: readonly VirtPlatformConfig[],
  signal: AbortSignal,
): Promise<readonly RollingPool[] | undefined> {
  const pools = await listPools(session, signal);
  if (pools === undefined) return undefined;
  const isQuiet = rollingPools({ pools, configs, platformWrites: [] }).length === 0;
  const platformWrites = isQuiet ? [] : await readPlatformWrites(session);
  return rollingPools({ pools, configs, platformWrites });
}

const poolPlace: Resource = {
  group: "machineconfiguration.openshift.io",
  version: "v1",
  plural: "machineconfigpools",
  isNamespaced: false,
};

/** Empty where the kind is not served. Undefined: it cannot be listed. */
async function listPools({ client }: ClusterSession, signal: AbortSignal): Promise<readonly KubeObject[] | undefined> {
  const answer = await client.send(listObjects(poolPlace, {}), { signal });
  if (answer.kind === "answered" && answer.status === 404) return [];
  if (answer.kind !== "answered" || answer.status !== 200) return undefined;
  return asList(at(answer.body ?? null, "items")) as unknown as readonly KubeObject[];
}

/** Empty if there is no report. Undefined: it cannot be read. */
async function readPlatformWrites(session: ClusterSession): Promise<readonly PlatformWrite[] | undefined> {
  try {
    const report = await session.readConfigMap(platformNamespace, reportName);
    const rows = asList(at(readJson(asText(at(report ?? null, "data", "report.json")) ?? "{}"), "objects"));
    return rows.map((row) => ({
      object: asText(at(row, "object")) ?? "",
      lastWrite: asText(at(row, "lastWrite")) ?? "",
    }));
  } catch {
    return undefined;
  }
}

/** Without pools that only roll a plan which is shown with its own bars. */
export function rollingPoolBlocks(
  rolling: readonly RollingPool[] | undefined,
  configs: readonly VirtPlatformConfig[],
): readonly Block[] {
  const shown = new Set(configs.map(({ metadata }) => metadata.name));
  const isShown = ({ causes }: RollingPool) =>
    causes.every((cause) => cause.kind === "plan" && cause.configs.every((name) => shown.has(name)));
  const lines: StyledText[][] =
    rolling === undefined
      ? [[{ text: "Updating pools are not shown: machineconfigpools cannot be listed.", style: "warning" }]]
      : rolling.filter((pool) => !isShown(pool)).map((pool) => [{ text: rollingPoolText(pool), style: "warning" }]);
  return lines.length === 0 ? [] : [{ kind: "lines", lines }];
}
