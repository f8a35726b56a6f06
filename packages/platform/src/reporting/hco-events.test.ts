import { expect, test } from "vitest";
import { notes } from "../testing/outcome-fixtures.ts";
import { type DiscoveredCrds, eventsForDiscoveredCrds, type MissingCrds } from "./hco-events.ts";

const cases: readonly {
  reason: string;
  before: MissingCrds;
  now: Partial<DiscoveredCrds>;
  events: readonly string[];
}[] = [
  {
    reason: "a CRD that came is reported with those that waited for it",
    before: new Map([["x.example", ["a", "b", "c"]]]),
    now: {},
    events: ["CRD x.example discovered, a, b and c assets can now be reconciled"],
  },
  {
    reason: "whoever is left out for another reason by now is not named",
    before: new Map([["x.example", ["a", "b"]]]),
    now: { excluded: new Set(["b"]) },
    events: ["CRD x.example discovered, a assets can now be reconciled"],
  },
  {
    reason: "nothing is reported while it is missing",
    before: new Map([["x.example", ["a"]]]),
    now: { crds: new Set(), excluded: new Set(["a"]) },
    events: [],
  },
  {
    reason: "that a feature is switched off, or the operator idles, is no discovery",
    before: new Map([["x.example", ["a"]]]),
    now: { excluded: new Set(["a"]) },
    events: [],
  },
  {
    reason: "an asset whose inputs cannot be read has not seen a CRD that is missing",
    before: new Map([["x.example", ["a"]]]),
    now: { crds: new Set() },
    events: [],
  },
  { reason: "what was there from the beginning is no discovery", before: new Map(), now: {}, events: [] },
];
test.each(cases)("$reason", ({ before, now, events }) => {
  expect(notes(eventsForDiscoveredCrds(before, { crds: new Set(["x.example"]), excluded: new Set(), ...now }))).toEqual(
    events,
  );
});
