// Builds the report rows for each object. Reuses them until something about the object changes.

import { type AssetRow, type ManagedObject, type ObjectRow, objectKey, objectRow, rowsOf } from "@virt/platform";
import { liveFactsOf } from "./live-facts.ts";
import type { PlatformRuntime } from "./runtime.ts";
import { previewOf, type Snapshot, unreadObject } from "./snapshot.ts";

export type ReportRows = { readonly assets: readonly AssetRow[]; readonly object: ObjectRow };

type KnownRows = ReportRows & { readonly inputs: readonly unknown[] };

/** The rows of the last report. Rebuilding the rows for many objects would block the event loop. */
export type RowCache = Map<string, KnownRows>;

export function reportRows(snapshot: Snapshot, cache: RowCache, runtime: PlatformRuntime): readonly ReportRows[] {
  const rows = snapshot.objects.map(
    (object) => [objectKey(object.ref), rowsNow(object, snapshot, cache, runtime)] as const,
  );
  cache.clear();
  for (const [key, known] of rows) cache.set(key, known);
  return rows.map(([, known]) => known);
}

function rowsNow(object: ManagedObject, snapshot: Snapshot, cache: RowCache, runtime: PlatformRuntime): KnownRows {
  const key = objectKey(object.ref);
  const { memory, failure, hold, inputHold } = runtime.records.object(key);
  const inputs = [
    snapshot.evaluate(object),
    snapshot.facts.live(object.ref),
    unreadObject(object.ref, runtime),
    runtime.rebootImpact.shownFor(key),
    memory,
    failure,
    hold,
    inputHold,
  ];
  const known = cache.get(key);
  if (known?.inputs.every((input, at) => input === inputs[at]) === true) return known;
  const preview = previewOf(object, snapshot, runtime);
  return { inputs, assets: rowsOf(preview), object: objectRow(preview, liveFactsOf(key, runtime)) };
}
