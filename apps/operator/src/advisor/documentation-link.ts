// The link from an advertised config to the documentation of its profile, in the release of the operator.

import type { Profile } from "@virt/advisor";
import { advertising, fieldManagers, type KubeObject, repositoryUrl, type VirtPlatformConfig } from "@virt/api";
import { patchObject, type ReconcileContext, writeResultOf } from "@virt/kube";
import { fieldPath, ownersOf, readOwners } from "@virt/objects";
import { configResource } from "./report.ts";
import type { AdvisorRuntime } from "./runtime.ts";

type LinkSettings = Pick<AdvisorRuntime, "operator" | "documentationUrlTemplate">;

/** Returns the URL of the page. In the template, `%s` stands for the name of the page. */
export function documentationUrl(
  { documentation }: Pick<Profile, "documentation">,
  { operator, documentationUrlTemplate }: LinkSettings,
): string {
  const release = operator.version.startsWith("v") ? operator.version : `v${operator.version}`;
  const template = documentationUrlTemplate ?? `${repositoryUrl}/blob/${release}/docs/%s.md`;
  return template.replaceAll("%s", documentation);
}

/**
 * Returns the URL to write, or undefined. Only the advisor's own link on a config that the advisor created is replaced,
 * even if a user copied our annotations to another config.
 */
export function outdatedLink(config: KubeObject, wanted: string): string | undefined {
  const { annotations = {} } = config.metadata;
  if (annotations[advertising.autoCreated] !== "true" || annotations[advertising.documentation] === wanted)
    return undefined;
  const owners = (key: string) =>
    ownersOf(readOwners(config), fieldPath("metadata", "annotations", key)).map(({ manager }) => manager);
  const isOurs = (key: string) => owners(key).every((manager) => manager === fieldManagers.advisor);
  const isCreatedByUs = owners(advertising.autoCreated).length > 0 && isOurs(advertising.autoCreated);
  return isCreatedByUs && isOurs(advertising.documentation) ? wanted : undefined;
}

const retryMs = 600_000;

/** Corrects the link of an advertised config. Reports whether it was written, so that a newer version of the config follows. */
export async function correctDocumentationLink(
  config: VirtPlatformConfig,
  runtime: AdvisorRuntime,
  { sender, signal }: ReconcileContext,
): Promise<boolean> {
  const { name, resourceVersion = "" } = config.metadata;
  const profile = runtime.advertised.find((one) => one.name === name);
  const url = profile && outdatedLink(config, documentationUrl(profile, runtime));
  const nowMs = runtime.clock.monotonic();
  if (url === undefined || nowMs < (runtime.linkRetries.get(name) ?? 0)) return false;
  const body = { metadata: { resourceVersion, annotations: { [advertising.documentation]: url } } };
  const options = { type: "merge", fieldManager: fieldManagers.advisor } as const;
  const written = writeResultOf(await sender.write(patchObject(configResource, { name }, body, options), { signal }));
  if (written.kind === "done") return true;
  runtime.linkRetries.set(name, nowMs + retryMs);
  const why = "message" in written ? written.message : written.kind;
  runtime.log.warn("failed to update the documentation link of a VirtPlatformConfig, retrying later", { name, why });
  return false;
}
