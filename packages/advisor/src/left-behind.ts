// Finds objects that earlier plans applied and no config manages now, because their config is ignored or was
// re-created.

import { type KubeObject, type LeftBehind, type Ref, type VirtPlatformConfig } from "@virt/api";
import { type Owner, readOwners } from "@virt/objects";
import type { StatusOrigin } from "./facts.ts";
import type { Profile, ProfileTarget } from "./profile.ts";

/** Reports whether to look for left-behind objects: once after each edit of an ignored config, and once after a restart. */
export function wantsLeftBehind({ metadata, spec, status = {} }: VirtPlatformConfig, origin: StatusOrigin): boolean {
  if (spec.action !== "Ignore") return false;
  return origin !== "own" || status.phase !== "Ignored" || status.observedGeneration !== metadata.generation;
}

export type TargetPlaces = {
  readonly ownNamespace: string;
  readonly hcoNamespaces: readonly string[];
};

/** Returns the objects that the profile may have applied, in each API version, with the preferred version first. */
export function possibleTargets(profile: Profile, places: TargetPlaces): readonly (readonly Ref[])[] {
  return profile.targets.flatMap((target) =>
    target.names.flatMap((name) =>
      namespacesOf(target, places).map((place) =>
        versionsOf(target, profile).map((apiVersion) => ({ apiVersion, kind: target.kind, name, ...place })),
      ),
    ),
  );
}

function namespacesOf({ namespaces }: ProfileTarget, { ownNamespace, hcoNamespaces }: TargetPlaces) {
  if (namespaces === undefined) return [{}];
  const known = namespaces.flatMap((one) =>
    one === "$hco" ? hcoNamespaces : one === "$operator" ? [ownNamespace] : [one],
  );
  return [...new Set(known)].map((namespace) => ({ namespace }));
}

/** A kind that the profile needs only with some options has the versions of its forms. */
function versionsOf({ group, kind, forms = [] }: ProfileTarget, { needs }: Profile): readonly string[] {
  const inGroup = (version: string) => (group === "" ? version : `${group}/${version}`);
  const need = needs(undefined).find((one) => one.group === group && one.kind === kind);
  const declared = need?.versions.map(inGroup) ?? forms.map(({ apiVersion }) => apiVersion);
  return declared.length > 0 ? declared : [inGroup("v1")];
}

export function leftBehindOf(objects: readonly KubeObject[], manager: string): readonly LeftBehind[] {
  return objects.flatMap((object) => {
    const ours = readOwners(object).filter((owner) => isApplier(owner, manager));
    if (ours.length === 0) return [];
    const { apiVersion, kind, metadata } = object;
    const { name, namespace } = metadata;
    const appliedTime = ours
      .flatMap(({ time }) => time ?? [])
      .toSorted()
      .at(-1);
    return [{ apiVersion, kind, name, ...(namespace && { namespace }), ...(appliedTime && { appliedTime }) }];
  });
}

function isApplier({ manager, operation, subresource }: Owner, ours: string): boolean {
  return manager === ours && operation === "Apply" && subresource === undefined;
}

/** The CRD limit of `status.leftBehind`. */
const mostListed = 16;

export type ReadTargets = { readonly objects: readonly KubeObject[]; readonly unread: readonly Ref[] };

/** Lists objects that the manager applied, then those that could not be read. */
export function listLeftBehind({ objects, unread }: ReadTargets, manager: string): readonly LeftBehind[] {
  const unchecked = unread.map((ref): LeftBehind => ({ ...ref, unread: true }));
  return [...leftBehindOf(objects, manager), ...unchecked].slice(0, mostListed);
}

/** The objects that exist, and those that the advisor is not allowed to read. */
export type LeftBehindParts = { readonly left: readonly LeftBehind[]; readonly unread: readonly LeftBehind[] };

/** Splits left-behind objects into those that the advisor can read and those that it cannot. Keeps their order. */
export function partLeftBehind(leftBehind: readonly LeftBehind[]): LeftBehindParts {
  const isUnread = ({ unread = false }: LeftBehind) => unread;
  return { left: leftBehind.filter((one) => !isUnread(one)), unread: leftBehind.filter(isUnread) };
}

/** Returns a string such as `MachineConfig '99-worker-psi-karg', KubeDescheduler 'cluster'`. */
export function leftBehindText(leftBehind: readonly LeftBehind[]): string {
  return leftBehind.map(({ kind, name }) => `${kind} '${name}'`).join(", ");
}
