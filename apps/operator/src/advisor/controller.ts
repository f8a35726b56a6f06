// The advisor as a controller: which changes concern which configs, and what a pass over one does.

import type { Profile } from "@virt/advisor";
import { configKind, type KubeObject, type VirtPlatformConfig } from "@virt/api";
import { canonicalJson } from "@virt/engine";
import { type Change, type Controller, crdWatch, type Ending, type Tools, type WatchSpec } from "@virt/kube";
import { advertise } from "./advertise.ts";
import type { AdvisorParts } from "./parts.ts";
import { reconcile } from "./reconcile.ts";
import { poolWatch } from "./watches.ts";

const advertiseAgainMs = 120_000;

export type AdvisorSettings = { readonly isAdvertising: boolean };

/** `onChange` is called whenever the set of wanted watches may be another one. */
export function advisorController(
  parts: AdvisorParts,
  { isAdvertising, onChange }: AdvisorSettings & { readonly onChange: () => void },
): Controller {
  const { view, profiles } = parts;
  const advertised = isAdvertising ? profiles.filter((profile) => profile.isAdvertised) : [];
  return {
    name: "advisor",
    keysFor: (spec, change) => {
      if (spec.kind === configKind.kind) {
        onChange();
        return [change.key];
      }
      return view
        .configs()
        .filter((config) => isConcerned(config, spec, change, parts))
        .map(nameOf);
    },
    keysWhen: (watch) => {
      onChange();
      if (watch.spec.kind !== configKind.kind) return view.configs().filter(isManaged).map(nameOf);
      return watch.state === "synced" ? [...view.configs().map(nameOf), ...advertised.map(({ name }) => name)] : [];
    },
    pass: async (key, tools) => {
      const config = view.config(key);
      if (config === undefined)
        return missing(
          advertised.find(({ name }) => name === key),
          parts,
          tools,
        );
      if (config.metadata["deletionTimestamp"] !== undefined) return { kind: "done" };
      const begun = parts.clock.monotonic();
      const ending = await reconcile(config, parts, tools);
      parts.metrics.took((parts.clock.monotonic() - begun) / 1000);
      onChange();
      return ending;
    },
  };
}

function nameOf({ metadata }: VirtPlatformConfig): string {
  return metadata.name;
}

function isManaged({ spec }: VirtPlatformConfig): boolean {
  return spec.action !== "Ignore";
}

/** A CRD that comes, changes or goes may be what a config waits for, or what its plan was made for. */
function isConcerned(
  config: VirtPlatformConfig,
  spec: WatchSpec,
  { key }: Change<KubeObject>,
  parts: AdvisorParts,
): boolean {
  if (!isManaged(config)) return false;
  if (spec.kind === crdWatch.kind)
    return config.status?.phase === "PrerequisiteFailed" || readsSchema(config, key, parts);
  if (spec.kind === poolWatch.kind)
    return (config.status?.items ?? []).some(({ targetRef }) => targetRef.kind === "MachineConfig");
  const id = canonicalJson(spec);
  return parts.view.wantedBy(config).some((wanted) => canonicalJson(wanted) === id);
}

function readsSchema({ spec }: VirtPlatformConfig, crd: string, { profiles }: AdvisorParts): boolean {
  const reads = Object.values(profiles.find(({ name }) => name === spec.profile)?.reads ?? {});
  return reads.some((read) => read.read === "schema" && read.crd === crd);
}

/** Deleted, or never made: nothing of ours to clean up, but perhaps something to show. */
async function missing(profile: Profile | undefined, parts: AdvisorParts, tools: Tools): Promise<Ending> {
  if (profile === undefined || !parts.view.isConfigsListed()) return { kind: "done" };
  const result = await advertise(profile, tools);
  if (result.kind === "created") {
    const note = `Profile ${profile.name} is available: ${profile.description}`;
    parts.announce(result.config as VirtPlatformConfig & KubeObject, {
      type: "Normal",
      reason: "ProfileAdvertised",
      note,
    });
  }
  if (result.kind !== "failed") return { kind: "done" };
  parts.log.warn("cannot advertise a profile; trying again in 2 minutes", {
    profile: profile.name,
    why: result.message,
  });
  return { kind: "again", atMs: parts.clock.wall() + advertiseAgainMs };
}
