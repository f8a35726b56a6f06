// `diff`: prints the complete diff of a plan. If the advisor's diff is truncated, computes it with the user's
// permissions.

import type { Item, VirtPlatformConfig } from "@virt/api";
import { wholeDiff } from "@virt/objects";
import { planName, readDiff } from "@virt/views";
import { type Block, nextBlock, textBlock } from "../blocks.ts";
import { hasPlan, requireConfig, requirePlan } from "../find-config.ts";
import { exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const diffPlan: RunVerb = async (context) => {
  const { printer, program, session, words } = context;
  if (words.length > 0) {
    const { data, blocks, needsReview } = await planDiff(await requireConfig(context), context);
    printer.print({ type: "Diff", data, blocks });
    return needsReview ? exitCodes.reviewNeeded : exitCodes.done;
  }
  const shown: PlanDiff[] = [];
  for (const config of (await session().listConfigs()).filter(hasPlan)) shown.push(await planDiff(config, context));
  const none = textBlock(`No plans found. To list the profiles, run: ${program} profiles`);
  const titled = shown.flatMap(({ data: { name }, blocks }) => [textBlock(`Plan of ${name}`), ...blocks]);
  printer.print({
    type: "DiffList",
    data: { items: shown.map(({ data }) => data) },
    blocks: shown.length === 0 ? [none] : titled,
  });
  return shown.some(({ needsReview }) => needsReview) ? exitCodes.reviewNeeded : exitCodes.done;
};

async function planDiff(config: VirtPlatformConfig, context: VerbContext) {
  const { isOn, program } = context;
  const { name } = config.metadata;
  const planHash = requirePlan(config, undefined, program);
  const changed = (config.status?.items ?? []).filter((item) => item.changes);
  const diffs: { readonly item: string; readonly diff: string }[] = [];
  for (const item of changed)
    diffs.push({
      item: item.name,
      diff: await diffOf(item, { isRaw: isOn("raw"), profile: config.spec.profile }, context),
    });
  const isWaiting = config.status?.phase === "ReviewRequired";
  const none = textBlock(`${name}: the plan contains no changes`);
  const approval = `to approve exactly this plan, run: ${program} approve ${name} --hash ${planName(planHash)}`;
  const shown = diffs.map(({ diff }): Block => ({ kind: "diff", text: diff }));
  const items = diffs.map(({ item, diff }) => ({ item, text: diff, ...readDiff(diff) }));
  return {
    data: { name, planHash, isRaw: isOn("raw"), items },
    blocks: [...(diffs.length === 0 ? [none] : shown), ...(isWaiting ? [nextBlock(approval)] : [])],
    needsReview: changed.length > 0 && isWaiting,
  };
}

type PlanDiff = Awaited<ReturnType<typeof planDiff>>;

type ShownPlan = { readonly isRaw: boolean; readonly profile: string };

async function diffOf(item: Item, { isRaw, profile }: ShownPlan, { session, printer }: VerbContext): Promise<string> {
  if (!isRaw && readDiff(item.diff).leftOut === 0) return item.diff;
  const live = await session().readTarget(item.targetRef);
  const after = await predict(item, live.kind, { session: session(), profile });
  for (const side of [live, after])
    if (side?.kind === "unknown") {
      printer.progress(`note: ${item.name}: showing the diff from the status instead: ${side.message}`);
      return item.diff;
    }
  const [before, fresh] = [live, after].map((side) => (side?.kind === "found" ? side.object : undefined));
  return wholeDiff(before, fresh, { isRaw });
}

/** Returns the predicted object, or undefined if the plan deletes it. */
async function predict({ operation, desiredState }: Item, live: string, { session, profile }: Predictor) {
  if (operation === "Delete" || desiredState === undefined) return undefined;
  if (live === "absent") return { kind: "found", object: desiredState } as const;
  return session.predictTarget(desiredState, profile);
}

type Predictor = { readonly session: ReturnType<VerbContext["session"]>; readonly profile: string };
