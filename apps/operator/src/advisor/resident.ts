// The advisor, ready to be housed.

import type { News, Profile } from "@virt/advisor";
import { fieldManagers, type VirtPlatformConfig } from "@virt/api";
import { crdWatch } from "@virt/kube";
import type { Housing, Resident } from "../housing.ts";
import { createRemembered } from "../remembered.ts";
import { DriftConfirmer } from "./confirm-drift.ts";
import { advisorController } from "./controller.ts";
import { advisorMetrics } from "./metrics.ts";
import { Rejections } from "./rejections.ts";
import { createView } from "./view.ts";

export function advisorResident(profiles: readonly Profile[]): Resident {
  return {
    name: "advisor",
    fieldManager: fieldManagers.advisor,
    eventRepeatMs: 600_000,
    move: (housing) => {
      const { settings, version, find, discovery, registry, clock, log, namespace } = housing;
      const view = createView({ find, profiles, hcoNamespace: settings.hcoNamespace });
      const parts = {
        profiles,
        operator: { version, mustPin: settings.requireApprovedPlan },
        ownNamespace: namespace,
        view,
        discovery,
        remembered: createRemembered(() => find(crdWatch)),
        confirmer: new DriftConfirmer(),
        rejections: new Rejections(),
        troubles: new Map<string, number>(),
        announce: announcing(housing),
        metrics: advisorMetrics(registry, view),
        clock,
        log,
      };
      const controller = advisorController(parts, {
        isAdvertising: settings.advertiseProfiles,
        onChange: housing.refresh,
      });
      return { controller, wants: view.wanted };
    },
  };
}

function announcing({ announce, log }: Housing) {
  return ({ apiVersion, kind, metadata }: VirtPlatformConfig, { type, reason, note }: News) => {
    const { name, uid } = metadata;
    log[type === "Warning" ? "warn" : "info"](note, { config: name, reason });
    announce({ regarding: { apiVersion, kind, name, ...(uid && { uid }) }, type, reason, action: reason, note });
  };
}
