// Evaluates an asset: runs the checks in order and reports the first failure.

import { activationAnnotation, autopilotAnnotation, autopilotName, type KubeObject } from "@virt/api";
import { isAllowed, switchState } from "../activation.ts";
import type { AnyAssetFacts, Asset, AssetRead, Nothing } from "../asset.ts";
import { claimOn, isLeftToAutopilot } from "../autopilot/manager.ts";
import { keepKnown } from "../baseline/schema.ts";
import { excludedBy } from "../disabled-resources.ts";
import { evaluateConditions } from "../evaluate-condition.ts";
import { commandToAsk } from "../governance/asset-switches.ts";
import { governorOfAsset } from "../governance/follow-governance.ts";
import type { AssetHcoFact } from "../hco-fact.ts";
import { alreadyProvided, foreignProvider, unlistedProvider } from "./already-provided.ts";
import {
  type AssetRequest,
  type AssetStatus,
  excludedStatus,
  heldStatus,
  type Reason,
  readWords,
  unreadStatus,
  type WaitingStatus,
} from "./asset-status.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { objectName, placed } from "./managed-objects.ts";

export function evaluateAsset(asset: Asset, facts: ClusterFacts): AssetStatus {
  const { hco } = facts;
  if (hco === undefined) return excludedStatus("HCOMissing", "HyperConverged not found");
  const asked = askedOf(asset, facts, hco);
  let waiting: WaitingStatus | undefined;
  for (const check of Object.values(checks)) {
    const found = check(asked);
    if (found?.kind === "excluded") return waiting === undefined ? found : outweighed(waiting, found.reason);
    if (found?.kind === "held") waiting ??= found;
  }
  return waiting ?? renderAsset(asked);
}

/** Keeps the status `held` if the exclusion depends on the asset's watches, which would otherwise stop and start again. */
function outweighed(waiting: WaitingStatus, reason: Reason): WaitingStatus {
  return reason === "NamespaceMissing" || reason === "AlreadyProvided" ? waiting : { ...waiting, isExcluded: true };
}

export function askedOf(asset: Asset, facts: ClusterFacts, hco: AssetHcoFact): AssetRequest {
  const { ownNamespace } = facts;
  const places = { hcoNamespace: hco.namespace, hcoApiVersion: hco.apiVersion, ownNamespace };
  return { asset, facts, hco, target: placed(asset.target, places), places };
}

type Check = (asked: AssetRequest) => AssetStatus | undefined;

const isActive: Check = ({ facts }) =>
  facts.activation.isActive
    ? undefined
    : excludedStatus(
        "NotActivated",
        `the platform controller is disabled; to enable it, set annotation ${activationAnnotation} on the HyperConverged`,
      );

const isListed: Check = ({ asset, facts }) =>
  isAllowed(facts.activation, asset)
    ? undefined
    : excludedStatus(
        "NotListed",
        `annotation ${facts.activation.source === "legacy" ? autopilotAnnotation : activationAnnotation} lists neither ${asset.name} nor its group`,
      );

const isSwitchedOn: Check = ({ asset, hco }) => {
  const { isOn, expected, actual, mistake } = switchState(asset.switch, hco);
  if (mistake !== undefined) return heldStatus("InvalidConfiguration", `${mistake}; the last applied state is kept`);
  return isOn ? undefined : excludedStatus("SwitchedOff", `expected ${expected}, found ${actual}`);
};

const isReadable: Check = ({ asset, facts }) => {
  const key = asset.switch !== undefined && "present" in asset.switch ? asset.switch.present : undefined;
  const isBroken = key !== undefined && facts.brokenDevices.includes(key);
  return isBroken
    ? heldStatus("InvalidConfiguration", `annotation ${key} is invalid; its last valid value stays in effect`)
    : undefined;
};

const isConditionMet: Check = ({ asset, facts, hco }) => {
  const { hardware, hardwareChanges, topology, images, unread } = facts;
  if (unread !== undefined) return unreadStatus(unread); // includes plans, which a later check needs
  const finding = evaluateConditions(asset.conditions ?? [], { hco, hardware, hardwareChanges, topology, images });
  if (finding.kind === "met") return undefined;
  const details = finding.kind === "broken" ? finding.reason : `expected ${finding.expected}, found ${finding.actual}`;
  return excludedStatus("ConditionNotMet", details);
};

const isNotExcluded: Check = ({ facts, target }) => {
  if (facts.exclusions === undefined)
    return excludedStatus(
      "InvalidExclusions",
      "annotation disabled-resources is invalid, and no earlier valid value is known",
    );
  const rule = excludedBy(facts.exclusions, target);
  return rule === undefined
    ? undefined
    : excludedStatus("RootExclusion", `rule ${rule} of annotation disabled-resources`);
};

/** Excludes an asset whose whole object is governed by a plan. Fieldwise assets continue without the plan's fields. */
const isUngoverned: Check = ({ asset, facts, target }) => {
  const governor = governorOfAsset(asset, target, facts);
  return governor === undefined ? undefined : excludedStatus("GovernedByPlan", `VirtPlatformConfig ${governor}`);
};

/** Leaves a whole object to virt-platform-autopilot. Of a shared object, it leaves only the fields. */
const isNotAutopilots: Check = ({ asset, facts, target }) => {
  if (facts.autopilot.state !== "Active" || asset.adoption !== "whole") return undefined;
  const unlisted = facts.unlisted(target);
  if (unlisted !== undefined) return unreadStatus({ name: target.kind, why: unlisted });
  if (!isLeftToAutopilot(facts.live(target), facts.autopilot)) return undefined;
  return excludedStatus("ManagedByAutopilot", `${autopilotName} manages ${objectName(target)}`);
};

/** Leaves the creation of an object to virt-platform-autopilot, so that a shared switch never creates two. */
const isUnclaimed: Check = ({ asset, facts, hco, target, places }) => {
  const claim = claimOn(asset, hco, facts.autopilot);
  if (claim === undefined) return undefined;
  const unlisted = facts.unlisted(target);
  if (unlisted !== undefined) return unreadStatus({ name: target.kind, why: unlisted });
  if (facts.live(target) !== undefined) return undefined;
  const theirs = claim.theirs.map((ref) => objectName(placed(ref, places))).join(", ");
  return excludedStatus("ClaimedByAutopilot", `${autopilotName} applies ${theirs} for the same purpose`);
};

/** Excludes an asset that a plan has released until a user requests it again, so that a hand-over does not reboot nodes. */
const isAskedSincePlan: Check = ({ asset, hco, facts: { released, releasedUnread } }) => {
  if (asset.impact !== "reboot") return undefined;
  if (releasedUnread !== undefined) return unreadStatus({ name: "governance record", why: releasedUnread });
  const { by } = released[asset.name] ?? {};
  if (by === undefined) return undefined;
  const why = `VirtPlatformConfig ${by} managed it until it was ignored or deleted, and the switch of asset ${asset.name} has not been set since`;
  const next = `to apply the asset, which reboots nodes, run ${commandToAsk(asset, hco)}`;
  return excludedStatus("ReleasedByPlan", `${why}. Next: ${next}`);
};

const hasCrds: Check = ({ asset, facts }) => {
  const wanted = [
    ...(asset.target.crd === undefined ? [] : [asset.target.crd]),
    ...[...asset.needs, ...(asset.gates ?? [])].map(({ crd }) => crd),
  ];
  if (facts.unread !== undefined) return undefined; // the list of CRDs may be incomplete
  const missing = wanted.find((crd) => !facts.crds.has(crd));
  return missing === undefined ? undefined : excludedStatus("CRDMissing", missing);
};

const hasInputs: Check = ({ asset, facts, target }) => {
  const inputs = [...Object.values(asset.reads), ...ownSchema(asset.target.crd, target.apiVersion)].map((read) => ({
    read,
    fact: facts.fact(read),
  }));
  const unread = inputs.find(({ fact }) => fact.kind === "unavailable");
  if (unread === undefined || unread.fact.kind === "known") return undefined;
  return unreadStatus({ name: readWords(unread.read), why: unread.fact.why });
};

/** Checks that the namespace exists. That of the HyperConverged always does. */
const hasNamespace: Check = ({ facts, target, hco }) => {
  const { namespace } = target;
  if (namespace === undefined || namespace === hco.namespace) return undefined;
  const isThere = facts.hasNamespace(namespace);
  if (isThere === undefined) return unreadStatus({ name: `namespace ${namespace}`, why: "cache not synced" });
  return isThere ? undefined : excludedStatus("NamespaceMissing", namespace);
};

const isNeeded: Check = (asked) => {
  const unlisted = unlistedProvider(asked);
  if (unlisted !== undefined) return unreadStatus(unlisted);
  const other = alreadyProvided(asked);
  return other === undefined ? undefined : excludedStatus("AlreadyProvided", other);
};

export const checks = {
  activation: isActive,
  "allow-list": isListed,
  switch: isSwitchedOn,
  devices: isReadable,
  conditions: isConditionMet,
  exclusions: isNotExcluded,
  plans: isUngoverned,
  autopilot: isNotAutopilots,
  claims: isUnclaimed,
  "hand-over": isAskedSincePlan,
  crds: hasCrds,
  inputs: hasInputs,
  namespace: hasNamespace,
  alternates: isNeeded,
} as const satisfies Readonly<Record<string, Check>>;

export function renderAsset(asked: AssetRequest): AssetStatus {
  const { asset, facts } = asked;
  try {
    const inputs = factsOf(asset, facts);
    const rendered = asset.render(inputs);
    if (isNothing(rendered)) return nothingStatus(rendered);
    const rival = foreignProvider(asked);
    const warnings = asset.warnings?.(inputs) ?? [];
    return {
      kind: "active",
      ...known(rendered, asset, facts),
      ...(rival !== undefined && { rival }),
      ...(warnings.length > 0 && { warnings }),
    };
  } catch (error) {
    return excludedStatus(
      "RenderError",
      error instanceof Error ? error.message : "render threw a value that is not an Error",
    );
  }
}

function nothingStatus({ nothing, isUnmet }: Nothing): AssetStatus {
  return isUnmet
    ? { kind: "excluded", reason: "ConditionNotMet", details: nothing, isFromReads: true }
    : excludedStatus("NothingToApply", nothing);
}

function isNothing(rendered: KubeObject | Nothing): rendered is Nothing {
  return !("apiVersion" in rendered);
}

function factsOf({ reads }: Asset, facts: ClusterFacts): AnyAssetFacts {
  const entries = Object.entries(reads).flatMap(([name, read]) => {
    const fact = facts.fact(read);
    return fact.kind === "known" ? [[name, fact.value] as const] : [];
  });
  const { ownNamespace, runbookUrlTemplate } = facts;
  return { ...Object.fromEntries(entries), ownNamespace, runbookUrlTemplate };
}

function ownSchema(crd: string | undefined, apiVersion: string): readonly AssetRead[] {
  return crd === undefined ? [] : [{ read: "schema", crd, version: apiVersion.split("/").at(-1) ?? "" }];
}

/** Removes fields that the served schema does not declare, because the server would reject them. */
function known(object: KubeObject, { target: { crd } }: Asset, facts: ClusterFacts) {
  const [read] = ownSchema(crd, object.apiVersion);
  const fact = read && facts.fact(read);
  if (fact?.kind !== "known" || fact.value === undefined) return { object, leftOut: [] };
  return keepKnown(object, fact.value as Parameters<typeof keepKnown>[1]);
}
