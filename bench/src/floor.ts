// Measures the floor: the cost of a raw request on this machine at this time, without a library.

import type { Raw } from "../programs/raw-requests.ts";
import { type Spread, spreadOf } from "./percentiles.ts";

export const floorVerbs = ["get", "dry run", "change", "pair"] as const;
/** A request to measure. "pair" is a dry run followed by the write, as in a drift correction. */
export type FloorVerb = (typeof floorVerbs)[number];
export type Floor = Readonly<Record<FloorVerb, Spread>>;

/** The object that raw requests write. Each value must differ, so that each write changes the object. */
export type FloorSubject = { readonly path: string; readonly withValue: (value: string) => object };

export const smallObject: FloorSubject = {
  path: "/api/v1/namespaces/default/configmaps/floor",
  withValue: (value) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "floor" }, data: { value } }),
};

let value = 0;

/** Takes `times` samples, alternating between the verbs, so that a slow moment affects all of them equally. */
export async function measureFloor(raw: Raw, { path, withValue }: FloorSubject, times: number): Promise<Floor> {
  const change = (query = "") =>
    raw.send("PATCH", `${path}?fieldManager=floor&force=true${query}`, JSON.stringify(withValue(`${++value}`)));
  const acts: Readonly<Record<FloorVerb, () => Promise<void>>> = {
    get: () => raw.send("GET", path),
    "dry run": () => change("&dryRun=All"),
    change,
    pair: async () => {
      await change("&dryRun=All");
      await change();
    },
  };
  const samples = Object.fromEntries(floorVerbs.map((verb) => [verb, [] as number[]]));
  for (let time = -3; time < times; time++) {
    for (const verb of floorVerbs) {
      const start = performance.now();
      await acts[verb === "get" && time === -3 ? "change" : verb](); // the first round creates the object
      if (time >= 0) samples[verb]?.push(performance.now() - start);
    }
  }
  return Object.fromEntries(floorVerbs.map((verb) => [verb, spreadOf(samples[verb] ?? [])])) as Floor;
}
