import { expect, test } from "vitest";
import { explain, explanationText } from "./explanation.ts";
import { rowsOf } from "./rows.ts";
import { assets, gpuNode, hcoSaying, prefix, previewsIn, worldWith } from "./world.ts";

const explained = (name: string, world: ReturnType<typeof worldWith>) =>
  previewsIn(world).flatMap((preview) => explain(name, preview, world) ?? [])[0];

test("fields that the CRD does not know are named", () => {
  const told = explained("first", worldWith(hcoSaying()));
  expect(told?.leftOut).toEqual(["/spec/unheard"]);
  expect(told && explanationText(told)).toContain("Left out, unknown to the installed CRD:\n  /spec/unheard\n");
});

const worlds = [
  hcoSaying(),
  hcoSaying({ autopilot: "false" }),
  hcoSaying({ autopilot: "second" }),
  hcoSaying({ "enable-first": "false", "enable-second": "true" }),
  hcoSaying({ "disabled-resources": "[{kind: Thing, name: '*'}]" }),
  hcoSaying({ "disabled-resources": "rubbish" }),
].flatMap((hco) => [worldWith(hco), worldWith(hco, { objects: [gpuNode] }), worldWith(hco, { crds: [] })]);

test("the first check that fails is the reason that the evaluation gives, in every world", () => {
  for (const world of worlds)
    for (const preview of previewsIn(world))
      for (const { asset, reason, details } of rowsOf(preview)) {
        const failing = explain(asset.name, preview, world)?.checks.find(({ isMet }) => !isMet);
        expect({ reason: failing?.reason, details: failing?.found }).toEqual({ reason, details });
      }
});

test("checks are made in the order of the specification", () => {
  expect(explained("third", worldWith(hcoSaying()))?.checks.map(({ check }) => check)).toEqual([
    "activation",
    "allow-list",
    "switch",
    "devices",
    "conditions",
    "exclusions",
    "plans",
    "crds",
    "inputs",
    "namespace",
    "alternates",
    "render",
  ]);
});

test("whatever keeps an asset out, there is a word of advice", () => {
  for (const world of worlds) for (const { name } of assets) expect(explained(name, world)?.advice).not.toEqual([]);
});

test("advice is about all that stands in the way", () => {
  const world = worldWith(hcoSaying({ autopilot: "first" }), { crds: [] });
  expect(explained("third", world)?.advice).toEqual([
    `add third to annotation ${prefix}autopilot on the HyperConverged, or set it to true for all assets`,
    "this cluster is not one for it: expected hardware gpuPresent, found not detected",
    "install the operator that brings things.a.io",
  ]);
});

test("an asset that is not part of the object is not explained there", () => {
  const world = worldWith(hcoSaying());
  const [preview] = previewsIn(world);
  expect(preview && explain("third", preview, world)).toBeUndefined();
});
