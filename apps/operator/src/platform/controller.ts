// The platform controller: how a manager creates it, and which keys a change of a cached object enqueues.

import type { Profile } from "@virt/advisor";
import { fieldManagers } from "@virt/api";
import type { ExpectedPolicy } from "@virt/catalog";
import { type Controller, crdInformer, type InformerSpec } from "@virt/kube";
import { type Asset, askedAnew, featureRows, hcoContent, objectKey, readImages, type Tombstone } from "@virt/platform";
import { isAdmissionInformer, knownProfiles } from "@virt/reads";
import { AdmissionPolicies, policyKeysFor } from "../admission-policies.ts";
import type { ControllerFactory } from "../controller-factory.ts";
import { debugPages } from "../debug/pages.ts";
import { createReadCache } from "../read-cache.ts";
import { createGovernance, isGovernanceInput } from "./governance.ts";
import { platformMetrics } from "./metrics.ts";
import { createReportPublisher } from "./publish.ts";
import { impactKey, RebootImpact } from "./reboot-impact.ts";
import { allObjectsKey, type PlatformReconciler, reconcileKey } from "./reconcile.ts";
import { refOf } from "./report.ts";
import { PlatformRecords, type PlatformRuntime } from "./runtime.ts";
import { isHco } from "./snapshot.ts";
import { createSnapshotCache } from "./wanted-informers.ts";

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
      const { settings, find, discovery, registry, clock, log, namespace, recordEvent, refresh, enqueue } = context;
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
          enqueue,
        }),
        records,
        rebootImpact: new RebootImpact({ find, records, readCache, discovery, clock }),
        recordEvent,
        metrics: platformMetrics(registry),
        clock,
        log,
        refresh,
        enqueue,
      };
      const policies = new AdmissionPolicies({
        ...context,
        expected: catalog.policies,
        metricPrefix: "kubevirt_autopilot_",
      });
      const snapshots = createSnapshotCache(runtime);
      const rows = featureRows(assets);
      const publisher = createReportPublisher(runtime, rows);
      const pages = debugPages({ runtime, snapshots, features: rows, reader: context.reader });
      const controller = platformController({ runtime, snapshots, publisher, policies });
      return { controller, informers: snapshots.wanted, pages };
    },
  };
}

function platformController(reconciler: PlatformReconciler): Controller {
  const { runtime, snapshots } = reconciler;
  const { records, governance, rebootImpact, refresh } = runtime;
  const changed = (whose: "all" | readonly string[]) => {
    snapshots.changed(whose);
    refresh();
  };
  const keysConcerned = (spec: InformerSpec, existence: "as before" | "changed") => {
    if (isAdmissionInformer(spec)) return askMutatedAnew(records);
    if (rebootImpact.isInput(spec)) return records.hasPendingWrites() ? [impactKey] : [];
    if (isGovernanceInput(spec)) governance.observe();
    const concern = snapshots.concern(spec);
    if (concern.kind === "all") {
      changed("all");
      return [allObjectsKey];
    }
    const { shown, readers } = concern;
    // Whether an object yields to another that serves its purpose depends on whether it is known to be there itself.
    if (existence === "changed") snapshots.changed(shown);
    if (readers.length > 0) changed(readers);
    return [...shown, ...readers];
  };
  return {
    name: "platform",
    keysFor: (spec, { before, after }) => {
      if (before === undefined || after === undefined) return keysConcerned(spec, "changed");
      const isItsOwn = isHco(spec) && hcoContent(before) === hcoContent(after); // nobody else is made from that
      return isItsOwn ? [objectKey(refOf(after))] : keysConcerned(spec, "as before");
    },
    keysWhen: (informer) => [...policyKeysFor(informer), ...keysConcerned(informer.spec, "changed")],
    reconcile: async (key, context) => {
      const before = [records.hasMutated(), records.hasPendingWrites()];
      const result = await reconcileKey(key, reconciler, context);
      // What changes our writes has informers while it does, and what an impact is assessed by while one is due.
      const after = [records.hasMutated(), records.hasPendingWrites()];
      if (after.some((is, at) => is !== before[at])) refresh();
      return result;
    },
  };
}

/** Webhooks or policies changed: they may leave our writes alone now. */
function askMutatedAnew(records: PlatformRecords): readonly string[] {
  const keys = records.mutatedKeys();
  for (const record of keys.map((key) => records.object(key)))
    record.memory = record.memory && askedAnew(record.memory);
  return keys;
}
