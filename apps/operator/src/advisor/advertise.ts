// Advertises production profiles: for each profile that has no config, creates one with action Ignore.

import type { Profile } from "@virt/advisor";
import { advertising, configKind, fieldManagers, type KubeObject, type VirtPlatformConfig } from "@virt/api";
import { createObject, type ReconcileContext, type ReconcileResult, writeResultOf } from "@virt/kube";
import { documentationUrl } from "./documentation-link.ts";
import { configResource } from "./report.ts";
import type { AdvisorRuntime } from "./runtime.ts";

const retryMs = 120_000;

/** Reconciles a config that does not exist: advertises its profile if required. */
export async function advertiseProfile(
  name: string,
  runtime: AdvisorRuntime,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const profile = runtime.advertised.find((one) => one.name === name);
  if (profile === undefined || !runtime.view.isConfigsListed()) return { kind: "done" };
  const result = await createConfig(advertisement(profile, runtime), context);
  if (result.kind === "created") {
    const note = `Profile ${profile.name} is available: ${profile.description}`;
    runtime.recordEvent(result.config as VirtPlatformConfig & KubeObject, {
      type: "Normal",
      reason: "ProfileAdvertised",
      note,
    });
  }
  if (result.kind !== "failed") return { kind: "done" };
  runtime.log.warn("failed to create the VirtPlatformConfig for a profile, retrying in 2 minutes", {
    profile: profile.name,
    why: result.message,
  });
  return { kind: "requeueAt", atMs: runtime.clock.wall() + retryMs };
}

type CreateResult =
  | { readonly kind: "created"; readonly config: KubeObject }
  | { readonly kind: "exists" }
  | { readonly kind: "failed"; readonly message: string };

async function createConfig(config: KubeObject, { sender, signal }: ReconcileContext): Promise<CreateResult> {
  const request = createObject(configResource, {}, config, { fieldManager: fieldManagers.advisor });
  const written = writeResultOf(await sender.write(request, { signal }));
  if (written.kind === "done" && written.live !== undefined) return { kind: "created", config: written.live };
  if (written.kind === "stale") return { kind: "exists" };
  return { kind: "failed", message: "message" in written ? written.message : written.kind };
}

function advertisement(profile: Profile, runtime: AdvisorRuntime): KubeObject {
  const { name, description, impactSummary, category } = profile;
  return {
    apiVersion: configKind.apiVersion,
    kind: configKind.kind,
    metadata: {
      name,
      annotations: {
        [advertising.autoCreated]: "true",
        [advertising.description]: description,
        [advertising.impactSummary]: impactSummary,
        [advertising.documentation]: documentationUrl(profile, runtime),
      },
      labels: { [advertising.category]: category },
    },
    spec: { profile: name, action: "Ignore" },
  };
}
