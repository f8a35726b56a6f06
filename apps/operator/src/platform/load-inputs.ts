// What the assets of an object need beside what is watched: schemas and rendered configurations, read once and kept.

import { asText, at } from "@virt/engine";
import { crdWatch, type Reader } from "@virt/kube";
import type { ManagedObject } from "@virt/platform";
import type { PlatformParts } from "./parts.ts";
import { poolWatchOf } from "./watches.ts";

/** False: some of it could not be read, and somebody has to try again. */
export async function loadInputs(
  object: ManagedObject,
  parts: PlatformParts,
  { cluster }: { readonly cluster: Reader },
): Promise<boolean> {
  const { remembered } = parts;
  const schemas = schemasOf(object, parts);
  const configurations = configurationsOf(object, parts);
  await Promise.all([
    ...schemas.map(({ crd, version }) => remembered.schema(crd, version, cluster)),
    ...configurations.map((name) => remembered.rendered(name, cluster)),
  ]);
  return [...schemas.map(({ crd }) => crd), ...configurations].every(
    (name) => remembered.troubleOf(name) === undefined,
  );
}

function schemasOf({ assets, ref }: ManagedObject, { find }: PlatformParts) {
  const version = ref.apiVersion.split("/").at(-1) ?? "";
  const named = assets.flatMap(({ target, reads }) => [
    ...(target.crd === undefined ? [] : [{ crd: target.crd, version }]),
    ...Object.values(reads).flatMap((read) =>
      read.read === "schema" ? [{ crd: read.crd, version: read.version }] : [],
    ),
  ]);
  return named.filter(({ crd }) => find(crdWatch)?.store.get(crd) !== undefined);
}

/** At which the pools aim that an asset reads. */
function configurationsOf({ assets }: ManagedObject, { find }: PlatformParts): readonly string[] {
  const pools = assets.flatMap(({ reads }) =>
    Object.values(reads).flatMap((read) => (read.read === "pool" ? [read.name] : [])),
  );
  return pools.flatMap((name) => {
    const pool = [...(find(poolWatchOf(name))?.store.items() ?? [])][0];
    return asText(at(pool, "spec", "configuration", "name")) ?? [];
  });
}
