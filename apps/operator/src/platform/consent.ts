// Follows and stores the consent with which an upgraded controller stays active through annotation `autopilot`.

import { activationAnnotation, autopilotAnnotation, fieldManagers } from "@virt/api";
import type { ReconcileContext, ReconcileResult } from "@virt/kube";
import { appliedBy, asText, at, isNoFields, parseJson, readOwners } from "@virt/objects";
import {
  consentObject,
  consentRecordName,
  consentText,
  exactAnnotation,
  explainFailure,
  firstLegacyConsent,
  followLegacyConsent,
  type LegacyConsent,
  managedObjects,
  placesIn,
  readActivation,
  readConsentRecord,
  reportName,
  writeConsentRecord,
} from "@virt/platform";
import { consentInformer, listOnce, managedInformer } from "@virt/reads";
import { isAutopilotInstalled, isPresenceKnown } from "./presence.ts";
import { refOf } from "./report.ts";
import { type PlatformRuntime, resultAfter } from "./runtime.ts";
import { chooseHco } from "./snapshot.ts";

/** The consent of an upgraded controller, as this process follows it. */
export type Consent = {
  /** Follows the caches. Runs synchronously at each change, so that even a short change of the annotation counts. */
  readonly observe: () => void;
  readonly legacy: () => LegacyConsent | undefined;
  /** False until the record is read and the first start of this release is handled. Nothing may be written before. */
  readonly isKnown: () => boolean;
  /** Handles the first start and stores the record. `isChanged` is true if the activation may have changed. */
  readonly reconcile: (context: ReconcileContext) => Promise<{ result: ReconcileResult; isChanged: boolean }>;
};

export type ConsentParts = Pick<
  PlatformRuntime,
  "assets" | "ownNamespace" | "settings" | "find" | "discovery" | "clock" | "log"
> & { readonly enqueue: () => void };

export function createConsent(parts: ConsentParts): Consent {
  const { assets, ownNamespace, settings, find, discovery, log, enqueue } = parts;
  const watch = consentInformer(ownNamespace);
  let legacy: LegacyConsent | undefined;
  let isSettled = false;
  let lastError = "";

  const stored = () => [...(find(watch)?.store.items() ?? [])][0];
  const isListed = () => (find(watch)?.state ?? "starting") !== "starting";
  const chosen = () => {
    const found = chooseHco(find, settings.hcoNamespace);
    if (found.kind !== "found") return undefined;
    const { annotations = {} } = found.object.metadata;
    const key = exactAnnotation(annotations, activationAnnotation);
    return { hco: found.object, key, autopilot: exactAnnotation(annotations, autopilotAnnotation) };
  };
  const isStale = () => legacy !== undefined && consentText(stored()) !== writeConsentRecord({ legacy });

  const observe = () => {
    const said = chosen();
    if (!isListed() || said === undefined) return;
    const read = readConsentRecord(stored());
    if (read.kind === "record") {
      const isEnded = legacy?.isEnded === true && legacy.autopilot === read.record.legacy?.autopilot;
      legacy = read.record.legacy && { ...read.record.legacy, isEnded: isEnded || read.record.legacy.isEnded };
    }
    isSettled ||= read.kind !== "absent" || !wasActive(said);
    const isAutopilotPresent = isPresenceKnown(parts) && isAutopilotInstalled(said.hco, parts);
    legacy = followLegacyConsent(legacy, { ...said, mode: settings.activation, isAutopilotPresent });
    if (!isSettled || isStale()) enqueue();
  };

  const wasActive = ({ key, autopilot = "" }: NonNullable<ReturnType<typeof chosen>>) =>
    (key ?? "").trim() === "" && autopilot.trim() !== "" && readActivation(autopilot, assets).isActive;

  /** Returns undefined if it is not known yet. */
  const ownsObject = async ({ sender: client, signal }: ReconcileContext): Promise<boolean | undefined> => {
    const said = chosen();
    if (said === undefined) return undefined;
    const places = placesIn(said.hco, parts);
    const lists = await Promise.all(
      managedObjects(assets, places).map(({ ref }) =>
        listOnce(managedInformer(ref, settings.hcoNamespace), { client, discovery, signal }),
      ),
    );
    const found = lists.flatMap((one) => (one.kind === "listed" ? one.items : []));
    if (found.some((one) => !isNoFields(appliedBy(readOwners(one), fieldManagers.platform)))) return true;
    return lists.some((one) => one.kind === "failed" && one.reason !== "Forbidden") ? undefined : false;
  };

  /** Every release with this record reports the autopilot, so such a report shows that it has run before. */
  const hasRunBefore = async ({ cluster }: ReconcileContext): Promise<boolean | undefined> => {
    const reading = await cluster.read({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: reportName,
      namespace: ownNamespace,
    });
    if (reading.kind === "unavailable") return undefined;
    const report = reading.kind === "found" ? parseJson(asText(at(reading.object, "data", "report.json")) ?? "") : null;
    return at(report ?? null, "autopilot") !== undefined;
  };

  const settle = async (context: ReconcileContext): Promise<ReconcileResult | undefined> => {
    const isLater = await hasRunBefore(context);
    const owns = isLater === false ? await ownsObject(context) : false;
    const said = chosen();
    if (isLater === undefined || owns === undefined || said === undefined) return { kind: "retry" };
    if (isSettled) return undefined; // a change has settled it meanwhile
    legacy = firstLegacyConsent({ ...said, wasActive: wasActive(said), ownsObject: owns });
    return undefined;
  };

  const store = async ({ cluster, wrote }: ReconcileContext): Promise<ReconcileResult> => {
    if (legacy === undefined || !isStale()) return { kind: "done" };
    const there = stored();
    const { uid = "", resourceVersion = "" } = there?.metadata ?? {};
    const expect = there === undefined ? "absent" : { uid, resourceVersion };
    const object = consentObject(ownNamespace, writeConsentRecord({ legacy }));
    const outcome = await cluster.apply(object, { manager: fieldManagers.platform, force: true, expect });
    const why = outcome.kind === "done" ? "" : explainFailure(outcome, refOf(object));
    if (why !== "" && why !== lastError)
      log.warn("failed to store the consent record", { name: consentRecordName, why });
    lastError = why;
    if (outcome.kind !== "done" || outcome.live === undefined) return resultAfter(outcome, parts.clock);
    wrote(watch, outcome.live);
    return { kind: "done" };
  };

  return {
    observe,
    legacy: () => (isSettled ? legacy : undefined),
    isKnown: () => (isListed() ? isSettled || chosen() === undefined : find(watch)?.lastError !== undefined),
    reconcile: async (context) => {
      observe();
      if (isSettled) return { result: await store(context), isChanged: false };
      if (!isListed() || chosen() === undefined) return { result: { kind: "done" }, isChanged: false };
      const waiting = await settle(context);
      if (waiting !== undefined) return { result: waiting, isChanged: false };
      const result = await store(context);
      // The consent counts only once it is stored. A rejected record must not stop the controller, which is then idle.
      if (result.kind === "retry") return { result, isChanged: false };
      if (result.kind !== "done") legacy = undefined;
      isSettled = true;
      return { result, isChanged: true };
    },
  };
}
