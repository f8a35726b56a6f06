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
    reason: "reports a new CRD with the assets that waited for it",
    before: new Map([["x.example", ["a", "b", "c"]]]),
    now: {},
    events: ["CRD x.example discovered, a, b and c assets can now be reconciled"],
  },
  {
    reason: "omits assets that are excluded for another reason",
    before: new Map([["x.example", ["a", "b"]]]),
    now: { excluded: new Set(["b"]) },
    events: ["CRD x.example discovered, a assets can now be reconciled"],
  },
  {
    reason: "reports nothing while it is missing",
    before: new Map([["x.example", ["a"]]]),
    now: { crds: new Set(), excluded: new Set(["a"]) },
    events: [],
  },
  {
    reason: "a disabled feature or idle operator does not discover a CRD",
    before: new Map([["x.example", ["a"]]]),
    now: { excluded: new Set(["a"]) },
    events: [],
  },
  {
    reason: "an asset with unread inputs has not missed a CRD",
    before: new Map([["x.example", ["a"]]]),
    now: { crds: new Set() },
    events: [],
  },
  { reason: "an initial CRD is not reported as discovered", before: new Map(), now: {}, events: [] },
];
test.each(cases)("$reason", ({ before, now, events }) => {
  expect(notes(eventsForDiscoveredCrds(before, { crds: new Set(["x.example"]), excluded: new Set(), ...now }))).toEqual(
    events,
  );
});
