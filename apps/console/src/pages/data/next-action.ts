// Maps the next step of a profile to buttons. Pages show the command only on demand.

import type { NextStep, ProfileRow } from "@virt/views";
import { strings } from "../strings.ts";

/** `plan`, `rollout` and `drift` open a page. `draft` and `replan` request a plan. */
export type PageAction = "draft" | "plan" | "rollout" | "drift" | "replan";

export type NextAction = {
  readonly text: string;
  /** The actions to offer. If `hasPrimary` is set, the first one is the primary action. */
  readonly actions: readonly PageAction[];
  readonly hasPrimary: boolean;
  readonly command: string | undefined;
};

type ActionInput = {
  readonly row: Pick<ProfileRow, "phase" | "next" | "planHash">;
  readonly hasRollout: boolean;
};

export function nextActionOf({ row, hasRollout }: ActionInput): NextAction {
  const { next, planHash } = row;
  const wanted = actionsFor(row, hasRollout);
  const open: readonly PageAction[] = [
    ...(planHash === undefined ? [] : (["plan"] as const)),
    ...(hasRollout ? (["rollout"] as const) : []),
  ];
  const possible = wanted.filter((action) => (action !== "plan" && action !== "rollout") || open.includes(action));
  return {
    text: textOf(row),
    actions: [...new Set([...possible, ...open])],
    hasPrimary: possible.length > 0,
    command: commandOf(next),
  };
}

function actionsFor({ phase, next }: ActionInput["row"], hasRollout: boolean): readonly PageAction[] {
  switch (next.kind) {
    case "start":
      return ["draft"];
    case "review":
    case "decide":
      return ["plan"];
    case "wait":
      return phase === "Drifted" ? ["drift"] : phase === "ReviewRequired" ? ["plan"] : hasRollout ? ["rollout"] : [];
    case "unblock":
      return ["rollout"];
    case "replan":
      return phase === "Drifted" ? ["drift", "replan"] : ["replan"];
    case "repair":
      return phase === "Failed" || phase === "CompletedWithErrors" ? ["replan"] : ["plan"];
    case "done":
      return [];
  }
}

const texts = strings.nextSteps;

/** Returns the advisor's text if it names a cause. Otherwise, returns the text for the phase, which contains no command. */
function textOf({ phase, next }: ActionInput["row"]): string {
  const isCause = next.verb === undefined && next.command === undefined;
  if (next.kind === "unblock") return sentence(next.text.replace(/; to choose an option, run$/, ""));
  if (isCause && next.kind !== "done") return sentence(next.text);
  if (next.kind === "decide") return sentence(next.text.split("; ")[0] ?? "");
  return phase === undefined ? sentence(next.text) : (texts[phase] ?? sentence(next.text));
}

function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function commandOf({ verb, command }: NextStep): string | undefined {
  return verb === undefined ? command : ["kubectl virt-advisor", ...verb].join(" ");
}
