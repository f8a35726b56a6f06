import { expect, test } from "vitest";
import { exampleAssets, factsWith, gpuNode, hcoAnnotated, prefix, previewsIn } from "../testing/preview-fixtures.ts";
import { type DryRunAnswer, explainAsset, explanationText } from "./explain.ts";
import { rowsOf } from "./rows.ts";

const answer: DryRunAnswer = { kind: "not-asked", why: "offline" };
const explained = (name: string, facts: ReturnType<typeof factsWith>) =>
  previewsIn(facts).flatMap((preview) => explainAsset(name, preview, { facts, answer }) ?? [])[0];

test("reports fields that the CRD does not know", () => {
  const explanation = explained("first", factsWith(hcoAnnotated()));
  expect(explanation?.leftOut).toEqual(["/spec/unheard"]);
  expect(explanation && explanationText(explanation)).toContain(
    "Omitted fields (unknown to the installed CRD):\n  /spec/unheard\n",
  );
});

const clusters = [
  hcoAnnotated(),
  hcoAnnotated({ "virt-platform-operator": "false" }),
  hcoAnnotated({ "virt-platform-operator": "second" }),
  hcoAnnotated({ "enable-first": "false", "enable-second": "true" }),
  hcoAnnotated({ "disabled-resources": "[{kind: Thing, name: '*'}]" }),
  hcoAnnotated({ "disabled-resources": "rubbish" }),
].flatMap((hco) => [factsWith(hco), factsWith(hco, { objects: [gpuNode] }), factsWith(hco, { crds: [] })]);

test("the first failing check is the evaluated reason", () => {
  for (const facts of clusters)
    for (const preview of previewsIn(facts))
      for (const { asset, reason, details } of rowsOf(preview)) {
        const failing = explainAsset(asset.name, preview, { facts, answer })?.checks.find(({ isMet }) => !isMet);
        expect({ reason: failing?.reason, details: failing?.found }).toEqual({ reason, details });
      }
});

test("checks are in the specified order", () => {
  expect(explained("third", factsWith(hcoAnnotated()))?.checks.map(({ check }) => check)).toEqual([
    "activation",
    "allow-list",
    "switch",
    "devices",
    "conditions",
    "exclusions",
    "plans",
    "autopilot",
    "claims",
    "hand-over",
    "crds",
    "inputs",
    "namespace",
    "alternates",
    "render",
  ]);
});

test("every exclusion has advice", () => {
  for (const facts of clusters)
    for (const { name } of exampleAssets) expect(explained(name, facts)?.advice).not.toEqual([]);
});

test("advice covers all failing checks", () => {
  const facts = factsWith(hcoAnnotated({ "virt-platform-operator": "first" }), { crds: [] });
  expect(explained("third", facts)?.advice).toEqual([
    `add third to annotation ${prefix}virt-platform-operator on the HyperConverged, or set it to true for all assets`,
    "not applicable to this cluster: expected hardware gpuPresent, found not detected",
    "install the operator that provides things.a.io",
  ]);
});

test("shows a pending hardware change with its time", () => {
  const change = { name: "gpuPresent", counted: false, seen: true, countsAt: "2026-11-18T21:10:00Z" } as const;
  const facts = { ...factsWith(hcoAnnotated()), hardwareChanges: [change] };
  const explanation = explained("third", facts);
  expect(explanation).toMatchObject({ status: "EXCLUDED", hardwareChanges: [change] });
  const text = explanation && explanationText(explanation);
  expect(text).toContain("found detected for less than 10 minutes; takes effect at 2026-11-18T21:10:00Z");
  expect(text).toContain(
    "Hardware changes that have not taken effect yet:\n  gpuPresent=true, takes effect at 2026-11-18T21:10:00Z\n",
  );
});

test("does not explain an asset of another object", () => {
  const facts = factsWith(hcoAnnotated());
  const [preview] = previewsIn(facts);
  expect(preview && explainAsset("third", preview, { facts, answer })).toBeUndefined();
});

test("shows the dry run's answer and does not include a rejected object", () => {
  const facts = factsWith(hcoAnnotated());
  const [preview] = previewsIn(facts);
  const explanation = (given: DryRunAnswer) => preview && explainAsset("first", preview, { facts, answer: given });
  expect(explanation(answer)).toMatchObject({ status: "INCLUDED", server: "not contacted: offline" });
  expect(explanation({ kind: "accepted", mutated: [] })).toMatchObject({
    status: "INCLUDED",
    server: "accepts it (dry run with your permissions)",
  });
  expect(explanation({ kind: "refused", message: "no such field" })).toMatchObject({
    status: "ERROR",
    reason: "Refused: the API server rejects it",
    server: "rejects it (dry run with your permissions): no such field",
  });
  const mutated = [{ path: ["f:spec", "f:a"], live: 2, desired: 1 }];
  expect(explanation({ kind: "accepted", mutated })?.server).toContain("/spec/a is 2 (applied: 1)");
});
