// `approve`, `reject` and `ignore`. Approve and reject fail if the named plan is not the current one.

import type { VirtPlatformConfig } from "@virt/api";
import {
  approvalAttempts,
  type ConfigPatch,
  type Decider,
  ignorePatch,
  keptOptionsText,
  nextStepOf,
  nextStepText,
  planName,
  rejectionPatch,
  rolloutContinues,
} from "@virt/views";
import { nextBlock, textBlock } from "../blocks.ts";
import { fieldManager } from "../cluster-session.ts";
import { confirmChange, showBeforeChange } from "../confirm-change.ts";
import { movedPlan, requireConfig, requirePlan } from "../find-config.ts";
import { impactText, planBlocks } from "../plan-blocks.ts";
import { CliError, exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const approvePlan: RunVerb = async (context) => {
  const { flag, isOn, printer, now, program, session, words } = context;
  const config = await requireConfig(context);
  const [name = ""] = words;
  const named = flag("hash");
  const planHash = requirePlan(config, named, program);
  requireWaiting(config, program);
  if (named === undefined && !isOn("yes")) {
    const blocks = planBlocks(config, { now: now(), program }).filter(({ kind }) => kind !== "next");
    showBeforeChange(blocks, context);
    const question = `Approve plan ${planName(planHash)} of ${name}?`;
    const otherwise = `To approve exactly this plan, run: ${program} approve ${name} --hash ${planName(planHash)}`;
    if (!(await confirmChange({ question, otherwise }, context))) return exitCodes.error;
  }
  if (!(await sendApproval(config, planHash, context)))
    throw movedPlan(name, planHash, (await session().readConfig(name))?.status?.planHash, program);
  const summary = impactText(config);
  printer.print({
    type: "Approval",
    data: { name, planHash, impactSummary: summary },
    blocks: [
      textBlock(`${name}: plan ${planName(planHash)} is approved`, `Impact: ${summary}`),
      nextBlock(`to follow the progress, run: ${program} status ${name} --watch`),
    ],
  });
  return exitCodes.done;
};

/** Returns false if the config now has a different plan, in which case nothing was changed. */
async function sendApproval(config: VirtPlatformConfig, planHash: string, context: VerbContext): Promise<boolean> {
  for (const patches of approvalAttempts(config, planHash, await readDecider(context)))
    if (await sendPatches(config.metadata.name, patches, context)) return true;
  return false;
}

async function sendPatches(name: string, patches: readonly ConfigPatch[], { session }: VerbContext): Promise<boolean> {
  for (const patch of patches) if ((await session().patchConfig(name, patch)).kind === "moved") return false;
  return true;
}

async function readDecider({ session, now }: VerbContext): Promise<Decider> {
  const time = `${new Date(now()).toISOString().slice(0, 19)}Z`;
  return { user: await session().readUserName(), time, client: fieldManager };
}

function requireWaiting({ metadata: { name }, status = {} }: VirtPlatformConfig, program: string): void {
  if (status.phase === "ReviewRequired") return;
  throw new CliError(
    `${name} is ${status.phase}: no plan is waiting for approval. To see its state, run: ${program} status ${name}`,
  );
}

export const rejectPlan: RunVerb = async (context) => {
  const { flag, printer, program, session, words } = context;
  const [name = ""] = words;
  const config = await requireConfig(context);
  const planHash = requirePlan(config, flag("hash"), program);
  const reason = flag("reason") ?? "";
  const rejected = await rejectOnce(config, { planHash, reason }, context);
  if (rejected === undefined)
    throw movedPlan(name, planHash, (await session().readConfig(name))?.status?.planHash, program);
  printer.print({
    type: "Rejection",
    data: { name, planHash, reason },
    blocks: [
      textBlock(`${name}: plan ${planName(planHash)} is rejected${reason === "" ? "" : `: ${reason}`}`),
      nextBlock(`this plan stays rejected; to draft a different plan, run: ${program} plan ${name} --set KEY=VALUE`),
    ],
  });
  return exitCodes.done;
};

/** Returns undefined if the config now has a different plan. Retries once after any other concurrent change. */
async function rejectOnce(
  config: VirtPlatformConfig,
  { planHash, reason }: { readonly planHash: string; readonly reason: string },
  context: VerbContext,
): Promise<VirtPlatformConfig | undefined> {
  const { session } = context;
  const { name } = config.metadata;
  const rejection = { reason, by: await readDecider(context) };
  const first = await session().patchConfig(name, rejectionPatch(config, planHash, rejection));
  if (first.kind === "patched") return first.config;
  const again = await session().readConfig(name);
  if (again?.status?.planHash !== planHash) return undefined;
  const second = await session().patchConfig(name, rejectionPatch(again, planHash, rejection));
  return second.kind === "patched" ? second.config : undefined;
}

export const ignoreProfile: RunVerb = async (context) => {
  const { printer, session, words, program } = context;
  const [name = ""] = words;
  const config = await requireConfig(context);
  await session().patchConfig(name, ignorePatch);
  printer.print({
    type: "Ignore",
    data: { name, options: config.spec.options ?? {} },
    blocks: [
      textBlock(...ignoredLines(config)),
      nextBlock(nextStepText(nextStepOf({ ...config, status: { phase: "Ignored" } }), program)),
    ],
  });
  return exitCodes.done;
};

export function ignoredLines(config: VirtPlatformConfig): readonly string[][] {
  const kept = keptOptionsText(config);
  return [
    [`${config.metadata.name} is ignored: the advisor no longer manages it, and applied objects stay in place`],
    ...(config.status?.phase === "InProgress" ? [[`! ${rolloutContinues}`]] : []),
    ...(kept === undefined ? [] : [[kept]]),
  ];
}
