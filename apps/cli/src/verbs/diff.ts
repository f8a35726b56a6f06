// `diff`: what the plan changes, whole. The advisor's own diff where that is whole, else the same made anew with the person's rights.

import type { Item } from "@virt/api";
import { planName, readDiff } from "@virt/client";
import { wholeDiff } from "@virt/engine";
import { requireConfig, requirePlan } from "../find-config.ts";
import type { Block } from "../printer.ts";
import { exitCodes, type RunVerb, type VerbContext } from "../verb.ts";

export const diffPlan: RunVerb = async (context) => {
  const { isOn, printer, program, words } = context;
  const config = await requireConfig(context);
  const [name = ""] = words;
  const planHash = requirePlan(config, undefined, program);
  const changed = (config.status?.items ?? []).filter((item) => item.changes);
  const diffs: { readonly item: string; readonly diff: string }[] = [];
  for (const item of changed) diffs.push({ item: item.name, diff: await diffOf(item, isOn("raw"), context) });
  const isWaiting = config.status?.phase === "ReviewRequired";
  const none: Block = { kind: "lines", lines: [[`${name}: the plan changes nothing`]] };
  const next: readonly Block[] = isWaiting
    ? [
        {
          kind: "next",
          text: `to approve exactly this plan, run: ${program} approve ${name} --hash ${planName(planHash)}`,
        },
      ]
    : [];
  const shown = diffs.map(({ diff }): Block => ({ kind: "diff", text: diff }));
  printer.print({
    type: "Diff",
    data: {
      name,
      planHash,
      isRaw: isOn("raw"),
      items: diffs.map(({ item, diff }) => ({ item, text: diff, ...readDiff(diff) })),
    },
    blocks: [...(diffs.length === 0 ? [none] : shown), ...next],
  });
  return changed.length > 0 && isWaiting ? exitCodes.reviewNeeded : exitCodes.done;
};

async function diffOf(item: Item, isRaw: boolean, { session, printer }: VerbContext): Promise<string> {
  if (!isRaw && readDiff(item.diff).leftOut === 0) return item.diff;
  const live = await session().readTarget(item.targetRef);
  const after = await predict(item, live.kind, session());
  for (const side of [live, after])
    if (side?.kind === "unknown") {
      printer.progress(`note: ${item.name} is shown as the advisor shows it: ${side.message}`);
      return item.diff;
    }
  const [before, fresh] = [live, after].map((side) => (side?.kind === "found" ? side.object : undefined));
  return wholeDiff(before, fresh, { isRaw });
}

/** Undefined: nothing is left of it. */
async function predict({ operation, desiredState }: Item, live: string, session: ReturnType<VerbContext["session"]>) {
  if (operation === "Delete" || desiredState === undefined) return undefined;
  return live === "absent" ? ({ kind: "found", object: desiredState } as const) : session.predictTarget(desiredState);
}
