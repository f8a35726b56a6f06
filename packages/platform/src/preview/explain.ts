import { activationAnnotation, autopilotAnnotation, autopilotName } from "@virt/api";
import { changeWords, detectors, type HardwareChange } from "@virt/cluster";
import { type Change, leafPaths, writePath } from "@virt/objects";
import { activationValue, switchState } from "../activation.ts";
import type { Asset } from "../asset.ts";
import { type AutopilotView, autopilotEvidence, autopilotViewText, handOverCommand } from "../autopilot/evidence.ts";
import { describeMutation } from "../baseline/mutation.ts";
import { shapeOfObject } from "../baseline/observe-object.ts";
import { alreadyProvided } from "../evaluate/already-provided.ts";
import type { AssetRequest, AssetStatus } from "../evaluate/asset-status.ts";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import { askedOf, checks, renderAsset } from "../evaluate/evaluate-asset.ts";
import { evaluateCondition } from "../evaluate-condition.ts";
import { annotationPrefix } from "../hco-annotations.ts";
import type { ShownImpact } from "../reboot/shown-impact.ts";
import { adviceFor } from "./advice.ts";
import type { ManagedBy } from "./managed-by.ts";
import type { Preview } from "./preview.ts";
import { oneLine, tableText } from "./render-text.ts";
import { documentOf, type RowStatus, reasonText, rowsOf } from "./rows.ts";
import { conditionWords, neededCrds } from "./words.ts";

export type CheckName = keyof typeof checks | "render";

export type CheckFound = {
  readonly check: CheckName;
  readonly isMet: boolean;
  readonly found: string;
  /** Absent if the check is met. */
  readonly reason?: string;
};

/** Runs all checks. The first failure decides, but fixing it may reveal the next one. */
function explainChecks(asset: Asset, facts: ClusterFacts): readonly CheckFound[] {
  if (facts.hco === undefined)
    return [{ check: "activation", isMet: false, found: "there is no HyperConverged", reason: "HCOMissing" }];
  const asked = askedOf(asset, facts, facts.hco);
  const found = Object.entries(checks).map(([name, check]) => {
    const status = check(asked);
    const known = values[name as keyof typeof checks](asked);
    return checkFound(name as CheckName, status, known);
  });
  const isReadable = found.every(({ check, isMet }) => isMet || !givesInput.has(check));
  return isReadable ? [...found, renderFound(asked)] : found;
}

/** Checks of inputs. If one of them fails, the rendered object would be misleading. */
const givesInput: ReadonlySet<string> = new Set(["switch", "devices", "inputs"]);

function checkFound(check: CheckName, status: AssetStatus | undefined, found: string): CheckFound {
  if (status === undefined || status.kind === "active") return { check, isMet: true, found };
  return { check, isMet: false, found: status.details, reason: status.reason };
}

function renderFound(asked: AssetRequest): CheckFound {
  const status = renderAsset(asked);
  const left = status.kind === "active" ? status.leftOut : [];
  const words =
    left.length === 0 ? "all fields are known to the CRD" : `omitted, unknown to the CRD: ${left.join(", ")}`;
  return checkFound("render", status, words);
}

// The type requires a text for every check.
const values: Readonly<Record<keyof typeof checks, (asked: AssetRequest) => string>> = {
  activation: ({ facts: { activation } }) => {
    if (activation.source === "flag") return `enabled by flag; annotation ${keyOf("key")} is not set`;
    return `${keyOf(activation.source)}=${activationValue(activation) ?? ""}`;
  },
  "allow-list": ({ facts: { activation } }) =>
    activation.listed === undefined ? "no list" : `listed: ${[...activation.listed].join(", ")}`,
  switch: ({ asset, hco }) => {
    if (asset.switch === undefined) return "no switch";
    const { expected, actual } = switchState(asset.switch, hco);
    return `${expected}: ${actual}`;
  },
  devices: ({ asset }) =>
    asset.switch !== undefined && "present" in asset.switch ? `${asset.switch.present} is valid` : "none",
  conditions: (asked) => conditionsFound(asked),
  exclusions: ({ facts }) => {
    const rules = facts.exclusions?.length ?? 0;
    return rules === 0 ? "no rules" : `none of the rules match (${rules})`;
  },
  plans: () => "not managed by a VirtPlatformConfig",
  autopilot: ({ facts: { autopilot } }) => `virt-platform-autopilot does not manage it (${autopilot.state})`,
  claims: () => "virt-platform-autopilot applies no object for the same purpose",
  "hand-over": () => "not released by a VirtPlatformConfig",
  crds: ({ asset }) => neededCrds(asset).join(", ") || "none needed",
  inputs: ({ asset }) => Object.keys(asset.reads).join(", ") || "none",
  namespace: ({ target }) => target.namespace ?? "cluster scoped",
  alternates: (asked) => {
    const isThere = asked.facts.live(asked.target) !== undefined;
    return isThere
      ? "the object of this asset exists"
      : (alreadyProvided(asked) ?? "no other object serves the same purpose");
  },
};

const keyOf = (source: "key" | "legacy") =>
  (source === "key" ? activationAnnotation : autopilotAnnotation).slice(annotationPrefix.length);

function conditionsFound({ asset, facts, hco }: AssetRequest): string {
  const met = (asset.conditions ?? []).filter(
    (condition) => evaluateCondition(condition, { ...facts, hco }).kind === "met",
  );
  return met.map(conditionWords).join("; ") || "none";
}

/** Explains why an asset is applied or not, as printed by the command `explain`. */
export type Explanation = {
  readonly asset: string;
  readonly group: string;
  readonly feature: string;
  readonly tier: Asset["tier"];
  readonly object: string;
  readonly impact: Asset["impact"];
  readonly status: RowStatus;
  readonly reason?: string;
  readonly managedBy: ManagedBy;
  /** The traces of virt-platform-autopilot on the object. Absent if it does not run. */
  readonly autopilot?: AutopilotView;
  /** The API server's response, or why it was not contacted. */
  readonly server: string;
  readonly checks: readonly CheckFound[];
  readonly applies: readonly string[];
  readonly leftOut: readonly string[];
  readonly hardware: Readonly<Record<string, boolean>>;
  readonly hardwareChanges?: readonly HardwareChange[];
  readonly advice: readonly string[];
  /** The impact of writing the object now. Absent if no write is pending or the impact was not assessed. */
  readonly rollout?: ShownImpact;
};

/** The API server's response to a dry run of the apply. */
export type DryRunAnswer =
  | { readonly kind: "not-asked"; readonly why: string }
  | { readonly kind: "accepted"; readonly mutated: readonly Change[] }
  | { readonly kind: "refused"; readonly message: string };

export type ExplanationInput = {
  readonly facts: ClusterFacts;
  readonly answer: DryRunAnswer;
  readonly rollout?: ShownImpact | undefined;
};

/** Explains an asset. Undefined if the object has no such asset. */
export function explainAsset(
  name: string,
  preview: Preview,
  { facts, answer, rollout }: ExplanationInput,
): Explanation | undefined {
  const row = rowsOf(preview).find(({ asset }) => asset.name === name);
  if (row === undefined) return undefined;
  const { asset, target } = row;
  const isRefused = row.status === "INCLUDED" && answer.kind === "refused";
  const status = isRefused ? "ERROR" : row.status;
  const checks = explainChecks(asset, facts);
  const reason = isRefused ? "Refused: the API server rejects it" : reasonText(row);
  const assetStatus = preview.evaluated.statuses.get(name);
  const document = documentOf(preview);
  return {
    asset: name,
    group: asset.group ?? name,
    feature: asset.feature.name,
    tier: asset.tier,
    object: target,
    impact: asset.impact,
    status,
    ...(reason !== "" && { reason }),
    managedBy: preview.managedBy,
    ...(facts.autopilot.state !== "Absent" && { autopilot: autopilotViewOf(preview, facts) }),
    server: answerText(answer),
    checks,
    applies:
      document === undefined || status !== "INCLUDED"
        ? []
        : leafPaths(document, shapeOfObject(preview.object, facts)).map(writePath),
    leftOut: assetStatus?.kind === "active" ? assetStatus.leftOut : [],
    hardware: Object.fromEntries(detectors.map((detector) => [detector, facts.hardware[detector]])),
    ...(facts.hardwareChanges.length > 0 && { hardwareChanges: facts.hardwareChanges }),
    advice: adviceFor(row, checks, facts.hco),
    ...(rollout !== undefined && { rollout }),
  };
}

function autopilotViewOf({ object, live, managedBy }: Preview, { autopilot }: ClusterFacts): AutopilotView {
  const evidence = autopilotEvidence(live);
  return {
    state: autopilot.state,
    ...(evidence !== undefined && { evidence }),
    ...(live !== undefined && managedBy === autopilotName && { handOver: handOverCommand(object.ref) }),
  };
}

function answerText(answer: DryRunAnswer): string {
  switch (answer.kind) {
    case "not-asked":
      return `not contacted: ${answer.why}`;
    case "refused":
      return `rejects it (dry run with your permissions): ${answer.message}`;
    case "accepted":
      return answer.mutated.length === 0
        ? "accepts it (dry run with your permissions)"
        : `accepts it, but admission modifies it (dry run with your permissions): ${describeMutation(answer.mutated)}`;
  }
}

const impacts: Readonly<Record<Asset["impact"], string>> = {
  none: "none",
  pods: "pods: some pods start or restart; nodes are not affected",
  reboot: "reboot: drains and reboots the nodes of its pool",
};

/** Returns the explanation as text with aligned columns, for a terminal. */
export function explanationText(explanation: Explanation): string {
  const { asset, group, feature, tier, object, impact, status, reason, checks, applies, leftOut, advice } = explanation;
  const { hardwareChanges = [] } = explanation;
  const seen = Object.entries(explanation.hardware).map(([detector, isSeen]) => `${detector}=${isSeen}`);
  const head = [
    ["Asset:", `${asset} (group ${group}, feature ${feature}, ${tier})`],
    ["Object:", object],
    ["Impact:", explanation.rollout?.summary ?? impacts[impact]],
    ["Status:", reason === undefined ? status : `${status}, ${reason}`],
    ["Managed by:", explanation.managedBy],
    ...(explanation.autopilot === undefined ? [] : [["Autopilot:", autopilotViewText(explanation.autopilot)]]),
    ["Server:", explanation.server],
    ["Hardware:", seen.join(" ")],
  ];
  const found = checks.map(({ check, isMet, found, reason }) => [
    isMet ? "ok" : "NO",
    check,
    reason === undefined ? found : `${reason}: ${found}`,
  ]);
  return [
    tableText(head),
    "\nChecks (the first failed check decides):\n",
    indented(tableText(found)),
    section("Hardware changes that have not taken effect yet", hardwareChanges.map(changeWords)),
    section("Fields that would be applied", applies),
    section("Omitted fields (unknown to the installed CRD)", leftOut),
    section("How to change this", advice),
  ].join("");
}

function indented(table: string): string {
  return table.replaceAll(/^(?=.)/gm, "  ");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n${title}:\n${lines.map((line) => `  ${oneLine(line)}\n`).join("")}`;
}
