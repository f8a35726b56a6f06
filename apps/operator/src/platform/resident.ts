// The platform controller, ready to be housed.

import type { Profile } from "@virt/advisor";
import { fieldManagers } from "@virt/api";
import { crdWatch } from "@virt/kube";
import { type Asset, type Feature, featureRows, readImages, type Tombstone } from "@virt/platform";
import { debugPages } from "../debug/pages.ts";
import type { Resident } from "../housing.ts";
import { createRemembered } from "../remembered.ts";
import { platformController } from "./controller.ts";
import { platformMetrics } from "./metrics.ts";
import { createPublisher } from "./publish.ts";
import { createStage } from "./stage.ts";
import { createTally } from "./tally.ts";

export type PlatformCatalog = {
  readonly assets: readonly Asset[];
  readonly tombstones: readonly Tombstone[];
  readonly profiles: readonly Profile[];
  readonly features: readonly Feature[];
  /** Which operator brings a CRD. */
  readonly operatorOf: (crd: string) => string;
};

export function platformResident(catalog: PlatformCatalog): Resident {
  const { assets, tombstones, profiles, features, operatorOf } = catalog;
  return {
    name: "platform",
    fieldManager: fieldManagers.platform,
    eventRepeatMs: 60_000,
    move: (housing) => {
      const { settings, find, discovery, registry, clock, log, namespace, announce, refresh, look } = housing;
      const parts = {
        assets,
        tombstones,
        settings,
        images: readImages(housing.environment),
        purposesOf: (profile: string) => profiles.find(({ name }) => name === profile)?.purposes ?? [],
        ownNamespace: namespace,
        runbookUrlTemplate: housing.environment["RUNBOOK_URL_TEMPLATE"] || undefined,
        find,
        discovery,
        remembered: createRemembered(() => find(crdWatch)),
        memory: new Map(),
        standing: {
          exclusions: undefined,
          hcoDone: undefined,
          isRoundDue: false,
          told: new Map(),
          pruned: new Map(),
          buried: new Map(),
          failures: new Map(),
          paused: new Set<string>(),
          throttled: new Map(),
          unreadSince: new Map(),
          lastKnown: new Map(),
          tally: createTally(),
          missingCrds: new Map(),
          activity: undefined,
        },
        announce,
        metrics: platformMetrics(registry),
        clock,
        log,
        look,
      };
      const stage = createStage(parts);
      const rows = featureRows({ features, assets, operatorOf });
      const publisher = createPublisher(parts, rows);
      const pages = debugPages({ parts, stage, features: rows, reader: housing.reader });
      const controller = platformController({ parts, stage, publisher, onChange: refresh });
      return { controller, wants: stage.wanted, pages };
    },
  };
}
