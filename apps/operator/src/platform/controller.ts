// Creates the platform controllers: managed objects, rounds, governance, impact, tombstones and the report.

import type { Profile } from "@virt/advisor";
import { autopilotName, fieldManagers, metricPrefixes } from "@virt/api";
import type { ExpectedPolicy } from "@virt/catalog";
import { type Controller, crdInformer, type InformerSpec } from "@virt/kube";
import { type Asset, consentRecordName, featureRows, readImages, type Tombstone } from "@virt/platform";
import { knownProfiles } from "@virt/reads";
import { AdmissionPolicies, policyController } from "../admission-policies.ts";
import type { ControllerContext, ControllerFactory } from "../controller-factory.ts";
import { debugPages } from "../debug/pages.ts";
import { createReadCache } from "../read-cache.ts";
import { allObjectsKey, isOwnHcoChange, objectChanges, roundChanges } from "./changes.ts";
import { createConsent } from "./consent.ts";
import { createGovernance, isGovernanceInput } from "./governance.ts";
import { platformMetrics } from "./metrics.ts";
import { createReportPublisher, type ReportPublisher } from "./publish.ts";
import { RebootImpact } from "./reboot-impact.ts";
import { reconcileObject } from "./reconcile.ts";
import { startRound } from "./round.ts";
import { type PlatformQueues, PlatformRecords, type PlatformRuntime } from "./runtime.ts";
import { isHco } from "./snapshot.ts";
import { deleteTombstone } from "./tombstones.ts";
import { createSnapshotCache, type SnapshotCache } from "./wanted-informers.ts";

export type PlatformCatalog = {
  readonly assets: readonly Asset[];
  readonly tombstones: readonly Tombstone[];
  readonly profiles: readonly Profile[];
  readonly policies: readonly ExpectedPolicy[];
};

export function platformFactory(catalog: PlatformCatalog): ControllerFactory {
  const { assets, tombstones, profiles } = catalog;
  return {
    name: "platform",
    fieldManager: fieldManagers.platform,
    eventRepeatMs: 60_000,
    create: (context) => {
      const { settings, find, discovery, registry, clock, log, namespace, recordEvent, refresh } = context;
      const queues = platformQueues(context.enqueue);
      const purposesOf = (profile: string) => profiles.find(({ name }) => name === profile)?.purposes ?? [];
      const records = new PlatformRecords();
      const readCache = createReadCache(() => find(crdInformer), clock);
      const runtime: PlatformRuntime = {
        assets,
        tombstones,
        settings,
        version: context.version,
        images: readImages(context.environment),
        purposesOf,
        ownNamespace: namespace,
        runbookUrlTemplate: context.environment["RUNBOOK_URL_TEMPLATE"] || undefined,
        find,
        discovery,
        readCache,
        governance: createGovernance({
          assets,
          purposesOf,
          profiles: knownProfiles(profiles),
          ownNamespace: namespace,
          settings,
          find,
          clock,
          log,
          enqueue: queues.governance,
        }),
        consent: createConsent({
          assets,
          ownNamespace: namespace,
          settings,
          find,
          discovery,
          clock,
          log,
          enqueue: queues.consent,
        }),
        records,
        rebootImpact: new RebootImpact({ find, records, readCache, discovery, clock }),
        recordEvent,
        metrics: platformMetrics(registry),
        clock,
        log,
        refresh,
        queues,
      };
      const policies = new AdmissionPolicies({
        ...context,
        expected: catalog.policies,
        metricPrefix: metricPrefixes.platform,
      });
      const snapshots = createSnapshotCache(runtime);
      const rows = featureRows(assets);
      const publisher = createReportPublisher(runtime, rows);
      const pages = debugPages({ runtime, snapshots, features: rows, reader: context.reader });
      const controllers = [
        ...platformControllers({ runtime, snapshots, publisher }),
        policyController("platform", policies),
      ];
      return { controllers, informers: snapshots.wanted, pages };
    },
  };
}

const names = {
  objects: "platform",
  round: "platform round",
  governance: "platform governance",
  consent: "platform consent",
  rebootImpact: "platform reboot impact",
  report: "platform report",
  tombstones: "platform tombstones",
} as const;

function platformQueues(enqueue: ControllerContext["enqueue"]): PlatformQueues {
  return {
    object: (key) => enqueue(names.objects, key),
    tombstone: (key) => enqueue(names.tombstones, key),
    round: () => enqueue(names.round, allObjectsKey),
    governance: () => enqueue(names.governance, "governance"),
    consent: () => enqueue(names.consent, "consent"),
    rebootImpact: () => enqueue(names.rebootImpact, "impact"),
    report: () => enqueue(names.report, "report"),
  };
}

type PlatformParts = {
  readonly runtime: PlatformRuntime;
  readonly snapshots: SnapshotCache;
  readonly publisher: ReportPublisher;
};

/** Returns the controllers. Changes are passed to them in this order. */
function platformControllers(parts: PlatformParts): readonly Controller[] {
  const { runtime, snapshots, publisher } = parts;
  return [
    consentController(parts),
    governanceController(parts),
    rebootImpactController(parts),
    {
      name: names.round,
      ...roundChanges(parts),
      reconcile: async () => {
        const result = startRound(runtime, snapshots);
        publisher.markDirty();
        return result;
      },
    },
    { name: names.objects, ...objectChanges(parts), reconcile: objectReconciler(parts) },
    {
      name: names.tombstones,
      reconcile: (key, context) => deleteTombstone(key, { snapshot: snapshots.current(), runtime, context }),
    },
    { name: names.report, reconcile: (_key, context) => publisher.reconcile(snapshots.current(), context) },
  ];
}

function objectReconciler({ runtime, snapshots, publisher }: PlatformParts): Controller["reconcile"] {
  const { records } = runtime;
  return async (key, context) => {
    const before = [records.hasMutated(), records.hasPendingWrites()];
    const result = await reconcileObject(key, { runtime, snapshots }, context);
    publisher.markDirty();
    // Informers for admission and impact run only while an object is mutated or a write is pending.
    const after = [records.hasMutated(), records.hasPendingWrites()];
    if (after.some((is, at) => is !== before[at])) runtime.refresh();
    return result;
  };
}

function governanceController({ runtime, snapshots }: PlatformParts): Controller {
  const { governance } = runtime;
  const observe = (spec: InformerSpec): readonly string[] => {
    if (isGovernanceInput(spec)) governance.observe();
    return [];
  };
  return {
    name: names.governance,
    keysFor: (spec, change) => (isOwnHcoChange(spec, change) ? [] : observe(spec)),
    keysWhen: ({ spec }) => observe(spec),
    reconcile: async (_key, context) => {
      const { result, isChanged } = await governance.reconcile(snapshots.current(), context);
      if (isChanged) {
        snapshots.changed("all");
        runtime.refresh();
        runtime.queues.round();
      }
      return result;
    },
  };
}

function consentController({ runtime, snapshots }: PlatformParts): Controller {
  const { consent } = runtime;
  const observe = ({ kind, name }: InformerSpec): readonly string[] => {
    if (isHco({ kind }) || name === consentRecordName || name === autopilotName) consent.observe();
    return [];
  };
  return {
    name: names.consent,
    keysFor: observe,
    keysWhen: ({ spec }) => observe(spec),
    reconcile: async (_key, context) => {
      const { result, isChanged } = await consent.reconcile(context);
      if (isChanged) {
        snapshots.changed("all");
        runtime.refresh();
        runtime.queues.round();
      }
      return result;
    },
  };
}

function rebootImpactController({ runtime, snapshots, publisher }: PlatformParts): Controller {
  const { rebootImpact, records } = runtime;
  const keysOf = (spec: InformerSpec) => (rebootImpact.isInput(spec) && records.hasPendingWrites() ? ["impact"] : []);
  return {
    name: names.rebootImpact,
    keysFor: keysOf,
    keysWhen: ({ spec }) => keysOf(spec),
    reconcile: async (_key, context) => {
      const { result, isShownChanged } = await rebootImpact.reconcile(snapshots.current(), { runtime, context });
      if (isShownChanged) publisher.markDirty();
      return result;
    },
  };
}
