// `doctor`: diagnoses the pools with the user's permissions, and prints findings with commands to fix them.

import { autopilotName, type RolloutFinding, type VirtPlatformConfig } from "@virt/api";
import { didYouMean } from "@virt/platform";
import {
  type AutopilotLease,
  type ClusterDiagnosis,
  type DiagnosisGap,
  diagnoseCluster,
  readAutopilotLease,
} from "@virt/reads";
import {
  ageText,
  type BlockerRemedy,
  findingRemedies,
  foreignText,
  noBlockerText,
  secondsSince,
  viewFinding,
  viewRollout,
} from "@virt/views";
import { type Block, listBlock, nextBlock, textBlock } from "../blocks.ts";
import { requireConfig } from "../find-config.ts";
import { findingLines, rolloutLines } from "../status-blocks.ts";
import { CliError, type ExitCode, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const showFindings: RunVerb = async (context) => {
  const { words, session, printer, now, signal, flag } = context;
  const [name] = words;
  const one = name === undefined ? undefined : await requireConfig(context);
  const all = await listReadableConfigs(context);
  const { configs, gaps } = one === undefined ? all : { configs: [one], gaps: [] };
  const pool = flag("pool");
  const pools = pool === undefined ? poolsOf(name, configs) : new Set([pool]);
  const { client } = session();
  const [found, lease] = await Promise.all([
    diagnoseCluster({ client, signal, configs, observers: all.configs, pools, now: now() }),
    readAutopilotLease({ client, signal }, now()),
  ]);
  const diagnosis = { ...found, notAssessed: [...gaps, ...found.notAssessed] };
  if (pool !== undefined && diagnosis.pools.length > 0 && !diagnosis.pools.includes(pool))
    throw new CliError(
      `pool "${pool}" not found${didYouMean(pool, diagnosis.pools) || "."} Available pools: ${diagnosis.pools.join(", ")}`,
    );
  const blocking = diagnosis.rollout.findings.find(({ severity }) => severity === "blocking");
  printer.print({
    type: "Diagnosis",
    data: { ...diagnosisData(diagnosis), autopilot: { lease } },
    blocks: [
      ...diagnosisBlocks(diagnosis, now(), printer.format === "wide"),
      textBlock(...leaseLines(lease, now())),
      ...nextBlocks(blocking),
    ],
  });
  return exitCodeOfDiagnosis(diagnosis);
};

/** Names the leading pod of the other platform operator. A missing permission is not a failure. */
function leaseLines(lease: AutopilotLease, now: number): readonly string[] {
  const line = (text: string) => [`${autopilotName}: ${text}`];
  switch (lease.kind) {
    case "absent":
      return [];
    case "held":
      return line(`${foreignText(lease.holder)} leads (lease ${lease.lease}, ${renewalText(lease.renewedAt, now)})`);
    case "expired":
      return line(`no pod leads (lease ${lease.lease} of ${foreignText(lease.holder)} has expired)`);
    case "free":
      return line(`no pod leads (lease ${lease.lease} has no holder)`);
    case "unread":
      return line(`its leader is unknown, because its lease cannot be read: ${foreignText(lease.message, 300)}`);
  }
}

function renewalText(time: string, now: number): string {
  const seconds = secondsSince(time, now);
  return seconds === undefined ? "renewal time unknown" : `renewed ${ageText(seconds)} ago`;
}

export function diagnosisData({ rollout, young, notAssessed }: ClusterDiagnosis) {
  return {
    rollout: { ...rollout, findings: rollout.findings.map(withOptions) },
    young: young.map(withOptions),
    notAssessed,
  };
}

function withOptions(finding: RolloutFinding): RolloutFinding & { readonly options?: readonly BlockerRemedy[] } {
  const options = findingRemedies(finding);
  return { ...finding, ...(options.length > 0 && { options }) };
}

/** Prints a remedy as the next step only if it is the only one. Otherwise the user has to choose. */
function nextBlocks(blocking: RolloutFinding | undefined): readonly Block[] {
  if (blocking === undefined) return [];
  const { options = [], command } = viewFinding(blocking);
  if (options.length > 0) return [nextBlock("choose one of the options above.")];
  return command === undefined ? [] : [nextBlock(command)];
}

/** Returns 0 only if every check ran and nothing is blocking a rollout. Pools that cannot be read are an error. */
export function exitCodeOfDiagnosis({ rollout, notAssessed }: ClusterDiagnosis): ExitCode {
  if (rollout.findings.some(({ severity }) => severity === "blocking")) return exitCodes.blocked;
  const missing = uncheckedKinds(notAssessed);
  if (missing.includes("MachineConfigPool")) return exitCodes.error;
  return missing.length === 0 ? exitCodes.done : exitCodes.unchecked;
}

/** Returns the kinds that could not be checked. A kind that is not served has no objects, so it does not count. */
function uncheckedKinds(notAssessed: readonly DiagnosisGap[]): readonly string[] {
  return [...new Set(notAssessed.filter(({ reason }) => reason !== "NotServed").map(({ kind }) => kind))];
}

type ReadableConfigs = { readonly configs: readonly VirtPlatformConfig[]; readonly gaps: readonly DiagnosisGap[] };

/** Lists configs. On failure, prints a note, so that pools are diagnosed even if the advisor is not installed. */
async function listReadableConfigs({ session, printer }: VerbContext): Promise<ReadableConfigs> {
  try {
    return { configs: await session().listConfigs(), gaps: [] };
  } catch (error) {
    if (!(error instanceof CliError) || error.answered === undefined) throw error;
    printer.progress(`cannot read the advisor's records: ${error.message}`);
    const reason = error.answered === 403 ? "Forbidden" : "Unavailable";
    const isInstalled = error.answered !== 404;
    const message = "the advisor's recorded start times are unknown";
    return { configs: [], gaps: isInstalled ? [{ kind: "VirtPlatformConfig", reason, message }] : [] };
  }
}

/** Returns the pools that a config's rollout or plan updates. Undefined means all pools. */
function poolsOf(name: string | undefined, configs: readonly VirtPlatformConfig[]): ReadonlySet<string> | undefined {
  if (name === undefined) return undefined;
  const pools = configs.flatMap(({ status }) => [
    ...(status?.rollout?.pools ?? []).map((each) => each.name),
    ...(status?.disruption ?? []).map((each) => each.pool),
  ]);
  return pools.length === 0 ? undefined : new Set(pools);
}

function quietText(pools: readonly string[], young: readonly RolloutFinding[]): string {
  if (pools.length === 0) return "This cluster has no MachineConfigPools.";
  return young.length === 0
    ? noBlockerText([], "the pools")
    : "No problem has lasted long enough to be reported as a finding. To check again, run this command in a few minutes.";
}

export function diagnosisBlocks(
  { rollout, young, notAssessed, pools }: ClusterDiagnosis,
  now: number,
  isWide = false,
): readonly Block[] {
  const view = viewRollout({ status: { rollout } }, now);
  const lines = view === undefined ? [] : rolloutLines(view, isWide);
  const missing = uncheckedKinds(notAssessed);
  const quiet = missing.length === 0 ? quietText(pools, young) : noBlockerText(missing);
  return [
    textBlock(...lines, ...(rollout.findings.length === 0 ? [`  ${quiet}`] : [])),
    listBlock(
      "Recent problems, which become findings if they persist:",
      young.flatMap((finding) => findingLines(viewFinding(finding))),
    ),
    listBlock(
      "Not assessed, so findings may be missing:",
      notAssessed.map(
        ({ kind, reason, message }) =>
          `    ${kind}: ${reason}${message === "" ? "" : ` (${foreignText(message, 300)})`}`,
      ),
    ),
  ];
}
