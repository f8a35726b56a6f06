// The platform controller, ready to be housed.

import type { Profile } from "@virt/advisor";
import { fieldManagers } from "@virt/api";
import { crdWatch } from "@virt/kube";
import { type Asset, readImages, type Tombstone } from "@virt/platform";
import type { Resident } from "../housing.ts";
import { createRemembered } from "../remembered.ts";
import { platformController, wantedWatches } from "./controller.ts";
import { platformMetrics } from "./metrics.ts";

export type PlatformCatalog = {
  readonly assets: readonly Asset[];
  readonly tombstones: readonly Tombstone[];
  readonly profiles: readonly Profile[];
};

export function platformResident({ assets, tombstones, profiles }: PlatformCatalog): Resident {
  return {
    name: "platform",
    fieldManager: fieldManagers.platform,
    eventRepeatMs: 60_000,
    move: ({ settings, find, discovery, registry, clock, log, namespace, announce, refresh, look, environment }) => {
      const parts = {
        assets,
        tombstones,
        settings,
        images: readImages(environment),
        purposesOf: (profile: string) => profiles.find(({ name }) => name === profile)?.purposes ?? [],
        ownNamespace: namespace,
        find,
        discovery,
        remembered: createRemembered(() => find(crdWatch)),
        memory: new Map(),
        standing: {
          exclusions: undefined,
          hcoDone: undefined,
          told: new Set<string>(),
          pruned: new Set<string>(),
          buried: new Set<string>(),
        },
        announce,
        metrics: platformMetrics(registry),
        clock,
        log,
        look,
      };
      return { controller: platformController(parts, refresh), wants: () => wantedWatches(parts) };
    },
  };
}
