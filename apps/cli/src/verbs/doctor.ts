// `doctor`: what holds the pools, looked at afresh with the user's rights, the worst first, each with the command that helps.

import type { RolloutFinding, VirtPlatformConfig } from "@virt/api";
import { type FindingView, foreignText, viewRollout } from "@virt/client";
import { didYouMean } from "@virt/platform";
import { type ClusterDiagnosis, diagnoseCluster } from "@virt/reads";
import { requireConfig } from "../find-config.ts";
import type { Block, StyledText } from "../printer.ts";
import { findingLines, rolloutLines } from "../status-blocks.ts";
import { CliError, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const showFindings: RunVerb = async (context) => {
  const { words, session, printer, now, signal, flag } = context;
  const [name] = words;
  const configs = name === undefined ? await listReadableConfigs(context) : [await requireConfig(context)];
  const pool = flag("pool");
  const pools = pool === undefined ? poolsOf(name, configs) : new Set([pool]);
  const diagnosis = await diagnoseCluster({ client: session().client, signal, configs, pools, now: now() });
  if (pool !== undefined && diagnosis.pools.length > 0 && !diagnosis.pools.includes(pool))
    throw new CliError(
      `there is no pool "${pool}"${didYouMean(pool, diagnosis.pools)}. The pools are ${diagnosis.pools.join(", ")}`,
    );
  const { rollout, young, notAssessed } = diagnosis;
  const blocking = rollout.findings.find(({ severity }) => severity === "blocking");
  printer.print({
    type: "Diagnosis",
    data: { rollout, young, notAssessed },
    blocks: [
      ...diagnosisBlocks(diagnosis, now()),
      ...(blocking?.command === undefined ? [] : [{ kind: "next", text: blocking.command } as const]),
    ],
  });
  // Without the pools nobody can say that nothing holds them.
  const isBlind = notAssessed.some(({ kind, reason }) => kind === "MachineConfigPool" && reason !== "NotServed");
  if (blocking !== undefined) return exitCodes.blocked;
  return isBlind ? exitCodes.error : exitCodes.done;
};

/** Without the right to read configs, or without the advisor, there are still pools. */
async function listReadableConfigs({ session, printer }: VerbContext): Promise<readonly VirtPlatformConfig[]> {
  try {
    return await session().listConfigs();
  } catch (error) {
    if (!(error instanceof CliError) || error.answered === undefined) throw error;
    printer.progress(`what the advisor has seen so far is not known: ${error.message}`);
    return [];
  }
}

/** Of one config, those that it rolls out or would; undefined: all. */
function poolsOf(name: string | undefined, configs: readonly VirtPlatformConfig[]): ReadonlySet<string> | undefined {
  if (name === undefined) return undefined;
  const pools = configs.flatMap(({ status }) => [
    ...(status?.rollout?.pools ?? []).map((each) => each.name),
    ...(status?.disruption ?? []).map((each) => each.pool),
  ]);
  return pools.length === 0 ? undefined : new Set(pools);
}

function diagnosisBlocks({ rollout, young, notAssessed, pools }: ClusterDiagnosis, now: number): readonly Block[] {
  const view = viewRollout({ status: { rollout } }, now);
  const lines: StyledText[][] = view === undefined ? [] : rolloutLines(view);
  const quiet = pools.length === 0 ? [] : [["  Nothing holds the pools."]];
  const list = (title: string, texts: readonly StyledText[][]): readonly Block[] =>
    texts.length === 0 ? [] : [{ kind: "lines", lines: [[title], ...texts] }];
  return [
    { kind: "lines", lines: [...lines, ...(rollout.findings.length === 0 ? quiet : [])] },
    ...list(
      "Seen for the first time; it counts if it lasts:",
      young.flatMap((finding) => findingLines(viewOf(finding))),
    ),
    ...list(
      "Not assessed, so it leads to no finding:",
      notAssessed.map(({ kind, reason, message }) => [
        `    ${kind}: ${reason}${message === "" ? "" : ` (${foreignText(message, 300)})`}`,
      ]),
    ),
  ];
}

/** Its age is not known. */
function viewOf({ id, severity, node, message, command }: RolloutFinding): FindingView {
  return {
    id,
    severity,
    ...(node !== undefined && { node }),
    message: foreignText(message),
    ...(command !== undefined && { command }),
  };
}
