// Whether an asset is applied here: the checks in their order, the first that fails is the reason.

import type { KubeObject } from "@virt/api";
import { governorOf, governorOfPurpose } from "@virt/engine";
import { isAllowed } from "../activation.ts";
import type { AnyFacts, Asset, Nothing } from "../asset.ts";
import { excludedBy } from "../disabled-resources.ts";
import { evaluateConditions } from "../evaluate-condition.ts";
import type { HcoFact } from "../hco-fact.ts";
import type { Read } from "../reads.ts";
import { keepKnown } from "../schema-leaves.ts";
import { switchState } from "../switch.ts";
import { alreadyProvided, foreignProvider, unlistedProvider } from "./already-provided.ts";
import type { Asked } from "./asked.ts";
import { placed } from "./place.ts";
import { readWords } from "./read-words.ts";
import { excluded, held, type Reason, type Standing, type Waiting } from "./standing.ts";
import type { World } from "./world.ts";

export function evaluateAsset(asset: Asset, world: World): Standing {
  const { hco } = world;
  if (hco === undefined) return excluded("HCOMissing", "no HyperConverged to work from");
  const asked = askedOf(asset, world, hco);
  let waiting: Waiting | undefined;
  for (const check of Object.values(checks)) {
    const found = check(asked);
    if (found?.kind === "excluded") return waiting === undefined ? found : outweighed(waiting, found.reason);
    if (found?.kind === "held") waiting ??= found;
  }
  return waiting ?? renderAsset(asked);
}

/** What is seen only while the object is of use cannot take its use away: its streams would end, and begin again, and end. */
function outweighed(waiting: Waiting, reason: Reason): Waiting {
  return reason === "NamespaceMissing" || reason === "AlreadyProvided" ? waiting : { ...waiting, isExcluded: true };
}

export function askedOf(asset: Asset, world: World, hco: HcoFact): Asked {
  const { ownNamespace } = world;
  const places = { hcoNamespace: hco.namespace, hcoApiVersion: hco.apiVersion, ownNamespace };
  return { asset, world, hco, target: placed(asset.target, places), places };
}

type Check = (asked: Asked) => Standing | undefined;

const isActive: Check = ({ world }) =>
  world.activation.isActive
    ? undefined
    : excluded("NotActivated", "the operator is idle: annotation autopilot does not ask for it");

const isListed: Check = ({ asset, world }) =>
  isAllowed(world.activation, asset)
    ? undefined
    : excluded("NotListed", `annotation autopilot lists neither ${asset.name} nor its group`);

const isSwitchedOn: Check = ({ asset, hco }) => {
  const { isOn, expected, actual } = switchState(asset.switch, hco);
  return isOn ? undefined : excluded("SwitchedOff", `expected ${expected}, found ${actual}`);
};

const isReadable: Check = ({ asset, world }) => {
  const key = asset.switch !== undefined && "present" in asset.switch ? asset.switch.present : undefined;
  const isBroken = key !== undefined && world.brokenDevices.includes(key);
  return isBroken
    ? held("InvalidConfiguration", `annotation ${key} cannot be read; its last valid form stays in force`)
    : undefined;
};

const isConditionMet: Check = ({ asset, world, hco }) => {
  const { hardware, topology, images, unread } = world;
  if (unread !== undefined) return held("InputUnavailable", unread); // plans, which a later check needs, are among it
  const finding = evaluateConditions(asset.conditions ?? [], { hco, hardware, topology, images });
  if (finding.kind === "met") return undefined;
  const details = finding.kind === "broken" ? finding.reason : `expected ${finding.expected}, found ${finding.actual}`;
  return excluded("ConditionNotMet", details);
};

const isNotExcluded: Check = ({ world, target }) => {
  if (world.exclusions === undefined)
    return excluded("InvalidExclusions", "annotation disabled-resources cannot be read, and no valid one is known");
  const rule = excludedBy(world.exclusions, target);
  return rule === undefined ? undefined : excluded("RootExclusion", `rule ${rule} of annotation disabled-resources`);
};

/** An object that is yielded field by field goes on without the fields of the plan. */
const isUngoverned: Check = ({ asset, world, target }) => {
  const byPurpose =
    asset.purpose === undefined ? undefined : governorOfPurpose(world.plans, asset.purpose, world.purposesOf);
  const byObject = asset.adoption === "whole" ? governorOf(world.plans, target) : undefined;
  const governor = byPurpose ?? byObject;
  return governor === undefined ? undefined : excluded("GovernedByPlan", `VirtPlatformConfig ${governor}`);
};

const hasCrds: Check = ({ asset, world }) => {
  const wanted = [
    ...(asset.target.crd === undefined ? [] : [asset.target.crd]),
    ...[...asset.needs, ...(asset.gates ?? [])].map(({ crd }) => crd),
  ];
  if (world.unread !== undefined) return undefined; // the list of CRDs may not be complete
  const missing = wanted.find((crd) => !world.crds.has(crd));
  return missing === undefined ? undefined : excluded("CRDMissing", missing);
};

const hasInputs: Check = ({ asset, world, target }) => {
  const facts = [...Object.values(asset.reads), ...ownSchema(asset.target.crd, target.apiVersion)].map((read) => ({
    read,
    fact: world.fact(read),
  }));
  const unread = facts.find(({ fact }) => fact.kind === "unavailable");
  if (unread === undefined || unread.fact.kind === "known") return undefined;
  return held("InputUnavailable", `${readWords(unread.read)}: ${unread.fact.why}`);
};

/** Where the HyperConverged is there is a namespace. */
const hasNamespace: Check = ({ world, target, hco }) => {
  const { namespace } = target;
  if (namespace === undefined || namespace === hco.namespace) return undefined;
  const isThere = world.hasNamespace(namespace);
  if (isThere === undefined) return held("InputUnavailable", `namespace ${namespace}: not listed yet`);
  return isThere ? undefined : excluded("NamespaceMissing", namespace);
};

const isNeeded: Check = (asked) => {
  const unlisted = unlistedProvider(asked);
  if (unlisted !== undefined) return held("InputUnavailable", unlisted);
  const other = alreadyProvided(asked);
  return other === undefined ? undefined : excluded("AlreadyProvided", other);
};

/** In the order in which they are made. */
export const checks = {
  activation: isActive,
  "allow-list": isListed,
  switch: isSwitchedOn,
  devices: isReadable,
  conditions: isConditionMet,
  exclusions: isNotExcluded,
  plans: isUngoverned,
  crds: hasCrds,
  inputs: hasInputs,
  namespace: hasNamespace,
  alternates: isNeeded,
} as const satisfies Readonly<Record<string, Check>>;

export function renderAsset(asked: Asked): Standing {
  const { asset, world } = asked;
  try {
    const rendered = asset.render(factsOf(asset, world));
    if (isNothing(rendered)) return excluded("NothingToApply", rendered.nothing);
    const rival = foreignProvider(asked);
    return { kind: "active", ...known(rendered, asset, world), ...(rival !== undefined && { rival }) };
  } catch (error) {
    return excluded("RenderError", error instanceof Error ? error.message : "the render threw something strange");
  }
}

function isNothing(rendered: KubeObject | Nothing): rendered is Nothing {
  return !("apiVersion" in rendered);
}

function factsOf({ reads }: Asset, world: World): AnyFacts {
  const facts = Object.entries(reads).flatMap(([name, read]) => {
    const fact = world.fact(read);
    return fact.kind === "known" ? [[name, fact.value] as const] : [];
  });
  const { ownNamespace, runbookUrlTemplate } = world;
  return { ...Object.fromEntries(facts), ownNamespace, runbookUrlTemplate };
}

/** By it the object is cut to what is served. */
function ownSchema(crd: string | undefined, apiVersion: string): readonly Read[] {
  return crd === undefined ? [] : [{ read: "schema", crd, version: apiVersion.split("/").at(-1) ?? "" }];
}

/** A leaf that the served schema does not know would be refused. */
function known(object: KubeObject, { target: { crd } }: Asset, world: World) {
  const [read] = ownSchema(crd, object.apiVersion);
  const fact = read && world.fact(read);
  if (fact?.kind !== "known" || fact.value === undefined) return { object, leftOut: [] };
  return keepKnown(object, fact.value as Parameters<typeof keepKnown>[1]);
}
