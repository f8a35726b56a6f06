// The floor: what a raw request costs on this machine in this minute. No library of ours takes part.

import type { Raw } from "../programs/raw-requests.ts";
import { type Spread, spreadOf } from "./percentiles.ts";

export const floorVerbs = ["get", "dry run", "change", "pair"] as const;
/** "pair": a dry run and then the change itself, as a correction does. */
export type FloorVerb = (typeof floorVerbs)[number];
export type Floor = Readonly<Record<FloorVerb, Spread>>;

/** What the raw requests are about: each value makes it another one. */
export type FloorSubject = { readonly path: string; readonly withValue: (value: string) => object };

/** As small as an object can be. */
export const smallObject: FloorSubject = {
  path: "/api/v1/namespaces/default/configmaps/floor",
  withValue: (value) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "floor" }, data: { value } }),
};

let value = 0;

/** `times`: samples of each verb, taken in turn, so that a slow moment hits all of them alike. */
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
      await acts[verb === "get" && time === -3 ? "change" : verb](); // the first one makes the object
      if (time >= 0) samples[verb]?.push(performance.now() - start);
    }
  }
  return Object.fromEntries(floorVerbs.map((verb) => [verb, spreadOf(samples[verb] ?? [])])) as Floor;
}
