// Explains how a user can change the result for an asset.

import { activationAnnotation, fieldManagers } from "@virt/api";
import { findMutator } from "@virt/objects";
import type { Asset } from "../asset.ts";
import type { Reason } from "../evaluate/asset-status.ts";
import { commandToAsk } from "../governance/asset-switches.ts";
import { annotationPrefix, objectAnnotations } from "../hco-annotations.ts";
import type { AssetHcoFact } from "../hco-fact.ts";
import type { CheckFound } from "./explain.ts";
import type { AssetRow } from "./rows.ts";
import { switchAdvice } from "./words.ts";

/**
 * Returns how to change the result: one sentence per failed check, most important first, or for an applied asset, the
 * ways to disable it.
 */
export function adviceFor(
  row: AssetRow,
  found: readonly CheckFound[],
  hco: AssetHcoFact | undefined,
): readonly string[] {
  const failing = found.filter(({ isMet }) => !isMet);
  const toChecks = failing.flatMap(
    ({ reason, found: details }) => adviceOn(reason as Reason, details, { ...row, hco }) ?? [],
  );
  if (toChecks.length > 0) return toChecks;
  return row.status === "INCLUDED"
    ? [
        ...(row.reason === "Contested" ? adopting : []),
        ...(row.reason === "MutatedByAdmission" ? admission : []),
        ...stopping(row),
      ]
    : onObject(row);
}

const adopting = [`set annotation ${objectAnnotations.adopt}=true on the object to take over the contested fields`];

const admission = [
  `${findMutator}; exempt the object there, or ignore the field with annotation ${objectAnnotations.ignoreFields}`,
];

function stopping({ asset, target, kind }: AssetRow): readonly string[] {
  const off = switchAdvice(asset, false);
  return [
    ...(off === undefined ? [] : [`${off} to disable it`]),
    `set annotation ${objectAnnotations.mode}=unmanaged on ${target} to stop managing it`,
    ...(kind === "HyperConverged"
      ? []
      : [`add a rule for it to annotation ${annotationPrefix}disabled-resources to exclude it`]),
  ];
}

function onObject({ reason = "", target }: AssetRow): readonly string[] {
  const advice = objectAdvice[reason];
  return advice === undefined ? [] : [advice(target)];
}

const takeOver = (target: string) =>
  `set annotation ${objectAnnotations.adopt}=true on ${target} to let the operator take it over`;

const objectAdvice: Readonly<Record<string, (target: string) => string>> = {
  Unmanaged: (target) => `remove annotation ${objectAnnotations.mode} from ${target}`,
  Paused: (target) =>
    `resolve the conflict with the other writer of ${target} (or release the field with annotation ${objectAnnotations.ignoreFields}), then remove annotation ${objectAnnotations.paused} from it`,
  InvalidPatch: (target) => `correct or remove annotation ${objectAnnotations.patch} of ${target}`,
  InvalidIgnoreFields: (target) => `correct or remove annotation ${objectAnnotations.ignoreFields} of ${target}`,
  InvalidMode: (target) => `correct or remove annotation ${objectAnnotations.mode} of ${target}`,
  UnknownAnnotation: (target) => `correct or remove the unknown annotation of ${target}`,
  InvalidConfiguration: (target) => `correct or remove the invalid annotation of ${target}`,
  Contested: takeOver,
  ManagedByOther: takeOver,
};

function askAgain(asset: Asset, hco: AssetHcoFact): string {
  return `set its switch again, which reboots nodes: ${commandToAsk(asset, hco)}`;
}

type Advised = { readonly asset: Asset; readonly target: string; readonly hco: AssetHcoFact | undefined };

function adviceOn(reason: Reason, details: string, { asset, target, hco }: Advised): string | undefined {
  switch (reason) {
    case "HCOMissing":
      return "install OpenShift Virtualization: all assets are rendered from its HyperConverged";
    case "NotActivated":
      return `set annotation ${activationAnnotation}=${asset.name} on the HyperConverged to enable only this asset, or =true to enable all assets (some of them reboot nodes); to see the impact first, run kubectl virt-advisor enable ${asset.name}`;
    case "NotListed":
      return `add ${asset.name} to annotation ${activationAnnotation} on the HyperConverged, or set it to true for all assets`;
    case "SwitchedOff":
      return switchAdvice(asset, true);
    case "InvalidConfiguration":
    case "InvalidExclusions":
      return `correct the annotation on the HyperConverged: ${details}`;
    case "ConditionNotMet":
      return `not applicable to this cluster: ${details}`;
    case "RootExclusion":
      return `remove ${details} on the HyperConverged`;
    case "GovernedByPlan": {
      const release = `set action Ignore on ${details}, or delete it`;
      // A release must not reboot nodes, so the asset waits until the user sets its switch.
      return asset.impact === "reboot" && hco !== undefined ? `${release}, then ${askAgain(asset, hco)}` : release;
    }
    case "ManagedByAutopilot":
      return `to manage ${target} here, run kubectl virt-advisor adopt; to move only this object, set annotations ${objectAnnotations.mode}=unmanaged and ${objectAnnotations.governor}=${fieldManagers.platform} on it`;
    case "ClaimedByAutopilot":
      return `${details}; to use this asset instead, run kubectl virt-advisor adopt`;
    case "ReleasedByPlan":
      return hco && askAgain(asset, hco);
    case "CRDMissing":
      return `install the operator that provides ${details}`;
    case "InputUnavailable":
      return `fix the read error: ${details}`;
    case "NamespaceMissing":
      return `create namespace ${details}; its operator usually creates it`;
    case "AlreadyProvided":
      return `delete ${details} so that this asset can replace it`;
    case "NothingToApply":
      return `nothing to do: ${details}`;
    case "RenderError":
      return undefined; // a bug in the catalog, which no setting can fix
  }
}
