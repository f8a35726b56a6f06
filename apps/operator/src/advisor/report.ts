// Writes the status, once per pass and only when something changed.

import type { KubeObject, Status, VirtPlatformConfig } from "@virt/api";
import { equalJson, type Json } from "@virt/engine";
import { replaceObject, type Sender, writingOf } from "@virt/kube";
import { configResource } from "./config-resource.ts";

export type Reported =
  | { readonly kind: "unchanged" }
  | { readonly kind: "written"; readonly live: KubeObject }
  | { readonly kind: "edited" } // somebody was faster: what was decided is void
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

export type Writing = { readonly sender: Sender; readonly signal: AbortSignal; readonly mayWrite: () => boolean };

/** With the version that was read, so that nothing is based on what nobody sees any more. */
export async function report(config: VirtPlatformConfig, status: Status, writing: Writing): Promise<Reported> {
  if (equalJson(status, config.status ?? {})) return { kind: "unchanged" };
  const { sender, signal, mayWrite } = writing;
  const { managedFields: _owners, ...metadata } = config.metadata;
  const body = { ...config, metadata, status } as Json;
  const request = replaceObject(configResource, { name: config.metadata.name, subresource: "status" }, body);
  const written = writingOf(await sender.send(request, { signal, mayWrite }));
  switch (written.kind) {
    case "done":
      return written.live === undefined ? { kind: "edited" } : { kind: "written", live: written.live };
    case "stale":
    case "absent":
    case "conflict":
      return { kind: "edited" };
    case "missing":
      return { kind: "unavailable", message: "VirtPlatformConfig is not served any more" };
    case "rejected":
      return { kind: "unavailable", message: `the status was refused: ${written.message}` };
    case "unavailable":
      return written;
  }
}
