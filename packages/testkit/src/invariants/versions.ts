// The versions that an object had, from the answers to all who wrote it, in the order in which they were stored.

import { type Audited, isEffective } from "./audited.ts";

/** `object` is absent when this write removed it. */
export type Version<T> = { readonly by: Audited; readonly object: T | undefined };

type Versioned = { readonly metadata: { readonly name: string; readonly resourceVersion: string } };

/** By name. The caller picks the writes of one kind, the subresources of its objects included. */
export function versionsOf<T extends Versioned>(
  writes: readonly Audited[],
): ReadonlyMap<string, readonly Version<T>[]> {
  const byName = Map.groupBy(writes.filter(isEffective).flatMap(versionOf<T>), ({ name }) => name);
  return new Map([...byName].map(([name, versions]) => [name, withoutEchoes(inOrder(versions))]));
}

function versionOf<T extends Versioned>(by: Audited): readonly (Version<T> & { readonly name: string })[] {
  if (by.verb === "deletecollection") return removedOf<T>(by);
  if (by.verb === "delete") return [{ by, name: by.name, object: undefined }];
  const object = by.response as T | undefined;
  if (object?.metadata === undefined)
    throw new Error(`the audit log has no body of ${by.verb} ${by.resource}/${by.name}`);
  return [{ by, name: object.metadata.name, object }];
}

function removedOf<T extends Versioned>(by: Audited): readonly (Version<T> & { readonly name: string })[] {
  const { items = [] } = (by.response ?? {}) as { items?: readonly T[] };
  return items.map(({ metadata }) => ({ by, name: metadata.name, object: undefined }));
}

/**
 * The log has the order of the answers. Two that were written at the same time may be answered the other way round, so what
 * has a resourceVersion is put in order by it, within the places that such entries have.
 */
function inOrder<T extends Versioned>(versions: readonly Version<T>[]): readonly Version<T>[] {
  const stored = versions.filter(({ object }) => object !== undefined).toSorted((a, b) => revision(a) - revision(b));
  const next = stored.values();
  return versions.map((version) => (version.object === undefined ? version : (next.next().value ?? version)));
}

/** A write that changed nothing leaves the version that was there, and the one who stored it first. */
function withoutEchoes<T extends Versioned>(versions: readonly Version<T>[]): readonly Version<T>[] {
  return versions.filter((version, at) => {
    const before = versions[at - 1];
    return version.object === undefined || before?.object === undefined || revision(version) !== revision(before);
  });
}

function revision({ object }: Version<Versioned>): number {
  return Number(object?.metadata.resourceVersion ?? 0);
}
