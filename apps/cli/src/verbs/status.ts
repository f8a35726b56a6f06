// `status`: prints the status once, or updates it until the rollout ends.

import type { Phase, VirtPlatformConfig } from "@virt/api";
import { nextStepText, type ProfileRow, phaseWord, profileRow, progressCount, viewRollout } from "@virt/views";
import { textBlock } from "../blocks.ts";
import type { ClusterSession, ConfigNotice } from "../cluster-session.ts";
import { conditionMessage } from "../condition-message.ts";
import { requireConfig } from "../find-config.ts";
import { readFlagDuration } from "../flag-values.ts";
import { platformOperatorBlocks, readPlatformOperators } from "../platform-operators.ts";
import type { VerbReport } from "../printer.ts";
import { readRollingPools, rollingPoolBlocks } from "../rolling-pools.ts";
import { type StatusOptions, statusBlocks, statusData } from "../status-blocks.ts";
import { canRedraw, LiveBlock } from "../terminal.ts";
import { type ExitCode, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";
import { configName, noProfilesText } from "./profiles.ts";

export const showStatus: RunVerb = async (context) => {
  const { isOn, words, session, printer } = context;
  const [name] = words;
  if (isOn("watch") || isOn("wait")) {
    if (name !== undefined) await requireConfig(context);
    return followStatus(context);
  }
  const all = name === undefined ? await session().listConfigs() : undefined;
  const configs = all ?? [await requireConfig(context)];
  printer.print(statusReport(configs, await optionsFor(configs, all, context)));
  return exitCodes.done;
};

/** `all` are the configs whose plans may update the pools. Undefined if they have not been listed yet. */
async function optionsFor(
  configs: readonly VirtPlatformConfig[],
  all: readonly VirtPlatformConfig[] | undefined,
  context: VerbContext,
): Promise<StatusOptions> {
  const { isOn, now, program, session, signal, words, printer } = context;
  const [counts, rolling, operators] = await Promise.all([
    countVms(configs, now(), session()),
    readRollingPools(session(), all, signal),
    words.length === 0 ? readPlatformOperators(session(), signal) : undefined,
  ]);
  const shown = {
    isDetailed: words.length > 0,
    isWatching: isOn("watch") || isOn("wait"),
    isWide: printer.format === "wide",
    rolling,
    operators,
  };
  return { now: now(), program, countVms: (node) => counts.get(node), ...shown };
}

/** Counts the VMs on up to 8 updating nodes. Sends no requests if no node is updating. */
async function countVms(configs: readonly VirtPlatformConfig[], now: number, session: ClusterSession) {
  const nodes = configs.flatMap((config) =>
    (viewRollout(config, now)?.nodes ?? []).flatMap(({ name, isInHand }) => (isInHand ? [name] : [])),
  );
  const counted = await Promise.all(
    nodes.slice(0, 8).map(async (node) => [node, await session.countVms(node)] as const),
  );
  return new Map(counted.flatMap(([node, count]) => (count === undefined ? [] : [[node, count] as const])));
}

function statusReport(configs: readonly VirtPlatformConfig[], options: StatusOptions): VerbReport {
  const sorted = configs.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  return {
    type: "Status",
    names: sorted.map(({ metadata }) => configName(metadata.name)),
    data: {
      items: sorted.map((config) => statusData(config, options)),
      ...(options.rolling !== undefined && { rollingPools: options.rolling }),
      ...(options.operators !== undefined && { platformOperators: options.operators }),
    },
    blocks: [
      ...platformOperatorBlocks(options.operators),
      ...rollingPoolBlocks(options.rolling, sorted, options),
      ...(sorted.length === 0
        ? [textBlock(noProfilesText)]
        : sorted.flatMap((config) => statusBlocks(config, options))),
    ],
  };
}

async function followStatus(context: VerbContext): Promise<ExitCode> {
  const { session, words, flag, isOn, signal, printer } = context;
  const [name] = words;
  const deadline =
    isOn("wait") && flag("timeout") !== undefined ? readFlagDuration(flag("timeout") ?? "", "timeout") : undefined;
  const screen = printer.isTable && canRedraw() ? redrawing(context) : printing(context);
  const over = new Promise<"over">((resolve) => {
    if (deadline !== undefined) setTimeout(() => resolve("over"), deadline).unref();
    signal.addEventListener("abort", () => resolve("over"), { once: true });
  });
  const notices = session().watchConfigs();
  for (;;) {
    const next = await Promise.race([notices.next(), over]);
    if (next === "over" || next.done === true) {
      screen.end();
      if (!signal.aborted) printer.progress("timed out waiting; the plan continues");
      return signal.aborted ? exitCodes.done : exitCodes.timedOut;
    }
    const { value } = next;
    const configs =
      value.kind === "configs"
        ? value.configs.filter(({ metadata }) => name === undefined || metadata.name === name)
        : [];
    await screen.show(value, configs);
    if (value.kind !== "configs" || !isOn("wait")) continue;
    const code = endOf(configs);
    if (code === undefined) continue;
    screen.end();
    return code;
  }
}

const ends: Readonly<Partial<Record<Phase, ExitCode>>> = {
  Completed: exitCodes.done,
  Ignored: exitCodes.done,
  CompletedWithUpgrade: exitCodes.reviewNeeded,
  ReviewRequired: exitCodes.reviewNeeded,
  Drifted: exitCodes.reviewNeeded,
  Failed: exitCodes.failed,
  CompletedWithErrors: exitCodes.failed,
};

/** Returns the highest exit code of all configs, or undefined while any of them is still in progress. */
function endOf(configs: readonly VirtPlatformConfig[]): ExitCode | undefined {
  const codes = configs.map((config) => {
    const { metadata, spec, status = {} } = config;
    const { kind } = profileRow(config, 0).next;
    const isLeftAlone = status.phase === "Ignored" && spec.action === "Ignore";
    const isSeen = status.observedGeneration === metadata.generation || isLeftAlone;
    return isSeen && kind !== "wait" && kind !== "unblock" ? ends[status.phase ?? "Pending"] : undefined;
  });
  if (configs.length === 0) return exitCodes.done;
  if (codes.includes(undefined)) return undefined;
  return codes.reduce<ExitCode>((worst, code) => (code !== undefined && code > worst ? code : worst), exitCodes.done);
}

/** Shows the status. `configs` are the configs to show; the notice contains all configs. */
type Screen = {
  readonly show: (notice: ConfigNotice, configs: readonly VirtPlatformConfig[]) => Promise<void>;
  readonly end: () => void;
};

type ShownConfigs = {
  readonly configs: readonly VirtPlatformConfig[];
  readonly all: readonly VirtPlatformConfig[];
  readonly options: StatusOptions;
};

/** Redraws the status after each change, and every second to update the ages. */
function redrawing(context: VerbContext): Screen {
  const block = new LiveBlock();
  let latest: ShownConfigs | undefined;
  let connectionNote = "";
  const draw = () => {
    if (latest === undefined) return;
    const report = statusReport(latest.configs, { ...latest.options, now: context.now() });
    const note = connectionNote === "" ? textBlock() : textBlock(connectionNote);
    block.draw(context.printer.render({ ...report, blocks: [...report.blocks, note] }));
  };
  const timer = setInterval(draw, 1000);
  // Pools can change even if no config does.
  const refresh = async () => {
    if (latest === undefined) return;
    const { configs, all } = latest;
    const options = await optionsFor(configs, all, context);
    if (latest?.configs === configs) latest = { configs, all, options };
  };
  const refreshing = setInterval(() => void refresh().catch(() => undefined), 5000);
  return {
    show: async (notice, configs) => {
      if (notice.kind === "configs")
        latest = { configs, all: notice.configs, options: await optionsFor(configs, notice.configs, context) };
      connectionNote = notice.kind === "lost" ? `! ${notice.message}; retrying. This output may be out of date` : "";
      draw();
    },
    end: () => {
      clearInterval(timer);
      clearInterval(refreshing);
    },
  };
}

/** Prints one line per change, or one document per change for programs. */
function printing(context: VerbContext): Screen {
  const { printer, now, program } = context;
  const known = new Map<string, string>();
  return {
    show: async (notice, configs) => {
      if (notice.kind === "lost")
        printer.progress(`connection lost: ${notice.message}; retrying in ${notice.retryInMs / 1000} s`);
      if (notice.kind === "back") printer.progress("connection restored");
      if (notice.kind !== "configs") return;
      for (const config of configs) {
        const row = profileRow(config, now());
        const line = changeLine(row, config, program);
        if (known.get(row.name) === line) continue;
        known.set(row.name, line);
        if (printer.isTable || printer.format === "markdown")
          printer.print({ type: "Change", data: {}, blocks: [textBlock(line)] });
        else printer.print(statusReport([config], await optionsFor([config], notice.configs, context)));
      }
    },
    end: () => {},
  };
}

function changeLine(row: ProfileRow, config: VirtPlatformConfig, program: string): string {
  const rollout = viewRollout(config, 0);
  const node = rollout?.nodes.find(({ isInHand }) => isInHand);
  const parts = [
    `${row.name}: ${phaseWord(row) ?? "not processed yet"}`,
    progressCount(row) ?? "",
    ...(node === undefined ? [] : [`${node.name} ${node.phase}`]),
    row.next.kind === "wait" || row.next.kind === "done"
      ? conditionMessage(config)
      : `Next: ${nextStepText(row.next, program)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
