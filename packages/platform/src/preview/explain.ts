// Explains an asset: every check with what it found, and what would change the outcome.

import type { Asset } from "../asset.ts";
import { alreadyProvided } from "../evaluate/already-provided.ts";
import type { Asked } from "../evaluate/asked.ts";
import { askedOf, checks, renderAsset } from "../evaluate/evaluate-asset.ts";
import type { Standing } from "../evaluate/standing.ts";
import type { World } from "../evaluate/world.ts";
import { evaluateCondition } from "../evaluate-condition.ts";
import { annotationOf } from "../hco-annotations.ts";
import { switchState } from "../switch.ts";
import { conditionWords, neededCrds } from "./words.ts";

export type CheckName = keyof typeof checks | "render";

export type CheckFound = {
  readonly check: CheckName;
  readonly isMet: boolean;
  readonly found: string;
  /** Why not. */
  readonly reason?: string;
};

/** All of them, although the first that fails decides: whoever mends one wants to know of the next. */
export function explainChecks(asset: Asset, world: World): readonly CheckFound[] {
  if (world.hco === undefined)
    return [{ check: "activation", isMet: false, found: "there is no HyperConverged", reason: "HCOMissing" }];
  const asked = askedOf(asset, world, world.hco);
  const found = Object.entries(checks).map(([name, check]) => {
    const standing = check(asked);
    const known = values[name as keyof typeof checks](asked);
    return toldAs(name as CheckName, standing, known);
  });
  const isReadable = found.every(({ check, isMet }) => isMet || !givesInput.has(check));
  return isReadable ? [...found, renderFound(asked)] : found;
}

/** What is rendered without them would be wrong, and say so. */
const givesInput: ReadonlySet<string> = new Set(["switch", "devices", "inputs"]);

function toldAs(check: CheckName, standing: Standing | undefined, found: string): CheckFound {
  if (standing === undefined || standing.kind === "active") return { check, isMet: true, found };
  return { check, isMet: false, found: standing.details, reason: standing.reason };
}

function renderFound(asked: Asked): CheckFound {
  const standing = renderAsset(asked);
  const left = standing.kind === "active" ? standing.leftOut : [];
  const words =
    left.length === 0 ? "all fields are known to the CRD" : `left out, unknown to the CRD: ${left.join(", ")}`;
  return toldAs("render", standing, words);
}

// A check without words does not compile.
const values: Readonly<Record<keyof typeof checks, (asked: Asked) => string>> = {
  activation: ({ hco }) => {
    const said = annotationOf(hco.annotations, "autopilot");
    return said === undefined || said === "" ? "active by flag, annotation autopilot not set" : `autopilot=${said}`;
  },
  "allow-list": ({ world: { activation } }) =>
    activation.listed === undefined ? "no list" : `listed: ${[...activation.listed].join(", ")}`,
  switch: ({ asset, hco }) => {
    if (asset.switch === undefined) return "no switch";
    const { expected, actual } = switchState(asset.switch, hco);
    return `${expected}: ${actual}`;
  },
  devices: ({ asset }) =>
    asset.switch !== undefined && "present" in asset.switch ? `${asset.switch.present} can be read` : "none",
  conditions: (asked) => conditionsFound(asked),
  exclusions: ({ world }) => {
    const rules = world.exclusions?.length ?? 0;
    return rules === 0 ? "no rules" : `none of ${rules} rules matches`;
  },
  plans: () => "no VirtPlatformConfig governs it",
  crds: ({ asset }) => neededCrds(asset).join(", ") || "none needed",
  inputs: ({ asset }) => Object.keys(asset.reads).join(", ") || "none",
  namespace: ({ target }) => target.namespace ?? "cluster scoped",
  alternates: (asked) => {
    const isThere = asked.world.live(asked.target) !== undefined;
    return isThere ? "our object exists" : (alreadyProvided(asked) ?? "nothing else serves the purpose");
  },
};

function conditionsFound({ asset, world, hco }: Asked): string {
  const { hardware, topology, images } = world;
  const met = (asset.conditions ?? []).filter(
    (condition) => evaluateCondition(condition, { hco, hardware, topology, images }).kind === "met",
  );
  return met.map(conditionWords).join("; ") || "none";
}
