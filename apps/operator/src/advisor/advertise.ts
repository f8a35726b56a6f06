// Makes the production profiles known: a config with action Ignore where there is none of that name.

import type { Profile } from "@virt/advisor";
import { advertising, configKind, fieldManagers, type KubeObject } from "@virt/api";
import { createObject, writingOf } from "@virt/kube";
import { configResource } from "./config-resource.ts";
import type { Writing } from "./report.ts";

export type Advertised =
  | { readonly kind: "created"; readonly config: KubeObject }
  | { readonly kind: "there" }
  | { readonly kind: "failed"; readonly message: string };

/** Never touches one that exists. */
export async function advertise(profile: Profile, { sender, signal, mayWrite }: Writing): Promise<Advertised> {
  const request = createObject(configResource, {}, advertisement(profile), { fieldManager: fieldManagers.advisor });
  const written = writingOf(await sender.send(request, { signal, mayWrite }));
  if (written.kind === "done" && written.live !== undefined) return { kind: "created", config: written.live };
  if (written.kind === "stale") return { kind: "there" };
  return { kind: "failed", message: "message" in written ? written.message : written.kind };
}

function advertisement({ name, description, impactSummary, category }: Profile): KubeObject {
  return {
    apiVersion: configKind.apiVersion,
    kind: configKind.kind,
    metadata: {
      name,
      annotations: {
        [advertising.autoCreated]: "true",
        [advertising.description]: description,
        [advertising.impactSummary]: impactSummary,
      },
      labels: { [advertising.category]: category },
    },
    spec: { profile: name, action: "Ignore" },
  };
}
