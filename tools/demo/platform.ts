// What a newcomer may try with the platform controller: golden configuration that is kept, and adjusted by annotations.

import { fieldManagers } from "@virt/api";
import { asText, at, type KubeObject } from "@virt/engine";
import type { Try } from "./tries.ts";

const check = "nodehealthcheck virt-node-health-check";

/** The object that all of them are about. */
export const keptObject = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";

/** One act: what is typed, which event is told, and how the object ends. */
export type Act = {
  readonly title: string;
  readonly typed: Try;
  /** Its event says that it happened. */
  readonly reason: string;
  readonly ends: string;
};

export const acts: readonly Act[] = [
  {
    title: "the platform controller is asked to keep one asset",
    typed: {
      command:
        "kubectl annotate hco kubevirt-hyperconverged -n openshift-cnv platform.kubevirt.io/autopilot=node-health-check",
      about: "let the platform controller keep one golden object; it idles until it is asked",
    },
    reason: "AssetApplied",
    ends: "51%",
  },
  {
    title: "an edit by hand is corrected",
    typed: {
      command: `kubectl patch ${check} --type=merge -p '{"spec":{"minHealthy":"10%"}}'`,
      about: "change what it keeps: it is put back",
    },
    reason: "DriftCorrected",
    ends: "51%",
  },
  {
    title: "a patch annotation is obeyed",
    typed: {
      command: `kubectl annotate ${check} platform.kubevirt.io/patch='[{"op":"replace","path":"/spec/minHealthy","value":"60%"}]'`,
      about: "or say it in an annotation: it is kept so",
    },
    reason: "PatchApplied",
    ends: "60%",
  },
];

export function healthyIn(object: KubeObject | undefined): string | undefined {
  return asText(at(object, "spec", "minHealthy"));
}

/** What an event of the platform controller says; undefined for events of others. */
export function platformNews(
  event: KubeObject | undefined,
): { readonly reason: string; readonly note: string } | undefined {
  if (event === undefined || event["reportingController"] !== fieldManagers.platform) return undefined;
  return { reason: asText(event["reason"]) ?? "", note: asText(event["note"]) ?? "" };
}

/** What comes after the act that an event ended. */
export function nextAct(reason: string): readonly Try[] {
  const at = acts.findIndex((act) => act.reason === reason);
  const next = at < 0 ? undefined : acts[at + 1];
  return next === undefined ? [] : [next.typed];
}
