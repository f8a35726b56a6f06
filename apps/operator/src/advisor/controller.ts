// Creates the advisor's controller and the state that its reconciles share.

import type { Profile } from "@virt/advisor";
import { type EventMessage, fieldManagers, metricPrefixes, type VirtPlatformConfig } from "@virt/api";
import type { ExpectedPolicy } from "@virt/catalog";
import { type Controller, crdInformer } from "@virt/kube";
import { AdmissionPolicies, policyController } from "../admission-policies.ts";
import type { ControllerContext, ControllerFactory } from "../controller-factory.ts";
import { createReadCache } from "../read-cache.ts";
import { createAdvisorView } from "./advisor-view.ts";
import { AutopilotPresence } from "./autopilot-presence.ts";
import { DriftConfirmer } from "./confirm-drift.ts";
import { disruptionOfDraft } from "./gather-facts.ts";
import { ImpactAssessor } from "./impact-assessor.ts";
import { isImpactFollowed, isRolloutFollowed } from "./informers.ts";
import { keysForChange, keysForInformer } from "./keys-for-change.ts";
import { advisorMetrics } from "./metrics.ts";
import { OwnStatuses } from "./own-statuses.ts";
import { reconcileConfig } from "./reconcile.ts";
import { RolloutDoctor } from "./rollout-doctor.ts";
import { type AdvisorRuntime, ClockSteps, Rejections, type RememberedDraft } from "./runtime.ts";

const controllerName = "advisor";

export function advisorFactory(known: readonly Profile[], expected: readonly ExpectedPolicy[]): ControllerFactory {
  return {
    name: "advisor",
    fieldManager: fieldManagers.advisor,
    eventRepeatMs: 600_000,
    create: (context) => {
      const runtime = createRuntime(context, known, expected);
      const controllers = [advisorController(runtime), policyController("advisor", runtime.policies)];
      return { controllers, informers: runtime.view.wanted };
    },
  };
}

function createRuntime(
  context: ControllerContext,
  known: readonly Profile[],
  expected: readonly ExpectedPolicy[],
): AdvisorRuntime {
  const { settings, version, find, discovery, registry, clock, log, namespace, environment } = context;
  const isEnabled = ({ isExample = false }: Profile) => settings.exampleProfile || !isExample;
  const profiles = known.filter(isEnabled);
  const view = createAdvisorView({ find, profiles, hcoNamespace: settings.hcoNamespace, version });
  const remembered = createReadCache(() => find(crdInformer), clock);
  const drafts = new Map<string, RememberedDraft>();
  const observedRollouts = () => view.configs().flatMap(({ status }) => status?.rollout ?? []);
  return {
    profiles,
    disabledProfiles: known.filter((profile) => !isEnabled(profile)),
    advertised: settings.advertiseProfiles ? profiles.filter((profile) => profile.isAdvertised) : [],
    operator: { version, mustPin: settings.requireApprovedPlan },
    documentationUrlTemplate: environment["DOCUMENTATION_URL_TEMPLATE"] || undefined,
    linkRetries: new Map<string, number>(),
    ownNamespace: namespace,
    view,
    discovery,
    remembered,
    confirmer: new DriftConfirmer(),
    rejections: new Rejections(),
    policies: new AdmissionPolicies({ ...context, expected, metricPrefix: metricPrefixes.advisor }),
    ownStatuses: new OwnStatuses(),
    drafts,
    impacts: new ImpactAssessor({
      find,
      pools: view.pools,
      hco: (config) => view.hco(config).object,
      disruption: (config) => disruptionOfDraft(config, { view, drafts }),
      clock,
      remembered,
      hidesVmNames: !settings.impactVmNames,
      wake: () => {
        for (const config of view.configs().filter(isImpactFollowed))
          context.enqueue(controllerName, config.metadata.name);
      },
    }),
    doctor: new RolloutDoctor({
      find,
      observedRollouts,
      hco: (config) => view.hco(config).object,
      clock,
      areVmsNamed: settings.impactVmNames,
      wake: () => {
        for (const config of view.configs().filter(isRolloutFollowed))
          context.enqueue(controllerName, config.metadata.name);
      },
    }),
    autopilot: new AutopilotPresence({ find, hcoNamespace: settings.hcoNamespace, clock }),
    clockSteps: new ClockSteps(clock),
    transientErrors: new Map<string, number>(),
    recordEvent: recordConfigEvent(context),
    refreshInformers: context.refresh,
    metrics: advisorMetrics(registry, view),
    clock,
    log,
  };
}

function advisorController(runtime: AdvisorRuntime): Controller {
  return {
    name: controllerName,
    gateChanged: () => runtime.ownStatuses.forgetAll(),
    keysFor: (spec, change) => keysForChange(spec, change, runtime),
    keysWhen: (informer) => keysForInformer(informer, runtime),
    reconcile: (key, context) => reconcileConfig(key, runtime, context),
  };
}

function recordConfigEvent({ recordEvent, log }: ControllerContext) {
  return ({ apiVersion, kind, metadata }: VirtPlatformConfig, { type, reason, note }: EventMessage) => {
    const { name, uid, generation = 0 } = metadata;
    log[type === "Warning" ? "warn" : "info"](note, { config: name, reason });
    // Includes the generation, so that a second run of the same plan records new events.
    const action = `${reason} generation ${generation}`;
    recordEvent({ regarding: { apiVersion, kind, name, ...(uid && { uid }) }, type, reason, action, note });
  };
}
