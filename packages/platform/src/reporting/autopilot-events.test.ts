import type { KubeObject } from "@virt/api";
import type { AutopilotState } from "@virt/cluster";
import { expect, test } from "vitest";
import { decideActivation } from "../activation.ts";
import type { AssetStatus } from "../evaluate/asset-status.ts";
import { excludedStatus } from "../evaluate/asset-status.ts";
import type { EvaluatedObject } from "../evaluate/evaluate-object.ts";
import { exampleAssets, factsWith, hcoAnnotated } from "../testing/preview-fixtures.ts";
import { exampleObject, observedOf, reconcileExample } from "../testing/reconciled-example.ts";
import { SmallCluster } from "../testing/small-cluster.ts";
import { autopilotEvent, eventsForHyperConverged } from "./hco-events.ts";
import { eventsForStatus } from "./status-events.ts";

const autopilot = "virt-platform-autopilot";
const ref = { apiVersion: "v1", kind: "Thing", name: "thing" };
const evaluated = (status: AssetStatus): EvaluatedObject => ({
  statuses: new Map([["asset", status]]),
  wanted: { kind: "excluded" },
});
const left = evaluated(excludedStatus("ManagedByAutopilot", "it manages the object"));
const notesFor = (live: KubeObject | undefined) =>
  eventsForStatus({ ref, assets: [] }, { outcome: { kind: "excluded" }, evaluated: left }, live).map(
    ({ type, reason, note }) => `${type} ${reason}: ${note}`,
  );

const labelled = { labels: { "platform.kubevirt.io/managed-by": autopilot } };

test("names an object that the autopilot manages and the asset that is not applied", () => {
  const cluster = new SmallCluster(exampleObject({}));
  cluster.apply(autopilot, exampleObject({ a: 2 }, labelled), 0);
  expect(notesFor(cluster.live)).toEqual([
    `Normal ManagedByAutopilot: Thing thing is managed by ${autopilot}; asset asset is not applied`,
  ]);
});

test("names an object that the autopilot took over, with its fields", () => {
  const cluster = new SmallCluster(exampleObject({}));
  reconcileExample(cluster, observedOf({ a: 1, b: 1 }));
  cluster.apply(autopilot, exampleObject({ a: 2 }, labelled), 0);
  expect(notesFor(cluster.live)).toEqual([
    `Warning AutopilotTookOver: ${autopilot} took over Thing thing (/spec/a). virt-platform-operator no longer manages it.`,
  ]);
});

const factsFor = (said: { readonly key?: string; readonly autopilot?: string }, isAutopilotPresent: boolean) => {
  const hco = hcoAnnotated(said.autopilot === undefined ? {} : { autopilot: said.autopilot });
  const input = { key: said.key, autopilot: said.autopilot, isAutopilotPresent, consent: undefined };
  return { hco, facts: { ...factsWith(hco), activation: decideActivation(input, "opt-in", exampleAssets) } };
};

test.each<[string, Parameters<typeof factsFor>[0], boolean, readonly string[]]>([
  [
    "names the command that keeps an active controller active",
    { autopilot: " first, nope" },
    false,
    [
      'UnknownAssetName: Unknown asset or group "nope" in annotation platform.kubevirt.io/autopilot on the HyperConverged: use true, false or asset names',
      "ActivationKeyDeprecated: Annotation platform.kubevirt.io/autopilot now belongs to virt-platform-autopilot. To keep virt-platform-operator active, run: kubectl annotate hco kubevirt-hyperconverged -n cnv platform.kubevirt.io/virt-platform-operator=first",
    ],
  ],
  [
    "explains why the annotation of the autopilot does not activate",
    { autopilot: "true" },
    true,
    [
      "ActivationIgnored: Annotation platform.kubevirt.io/autopilot=true does not enable virt-platform-operator. To enable it, set platform.kubevirt.io/virt-platform-operator=true.",
    ],
  ],
  ["reports nothing about a value that switches off", { autopilot: "false" }, true, []],
  ["reports nothing if our own key is set", { key: "true", autopilot: "true" }, true, []],
])("%s", (_promise, said, isPresent, notes) => {
  const { hco, facts } = factsFor(said, isPresent);
  const events = eventsForHyperConverged(hco, facts, exampleAssets).filter(({ reason }) => reason !== "CRDMissing");
  expect(events.map(({ reason, note }) => `${reason}: ${note}`)).toEqual(notes);
});

test.each<[AutopilotState, boolean, boolean]>([
  ["Active", true, true],
  ["Active", false, false],
  ["Off", true, false],
])("with the autopilot %s and our activation %s, reports its objects: %s", (state, isActive, isReported) => {
  const { activation, autopilot: fact } = factsWith(hcoAnnotated());
  const facts = { activation: { ...activation, isActive }, autopilot: { ...fact, state, namespace: "cnv" } };
  const objects = [
    { ref, assets: [] },
    { ref: { ...ref, name: "other" }, assets: [] },
  ];
  const evaluate = ({ ref: { name } }: { readonly ref: { readonly name: string } }) =>
    name === "other" ? evaluated(excludedStatus("SwitchedOff", "")) : left;
  expect(autopilotEvent(facts, { objects, evaluate })?.note).toBe(
    isReported
      ? `${autopilot} is active in namespace cnv. virt-platform-operator leaves 1 objects to it. To move them, run: kubectl virt-advisor adopt`
      : undefined,
  );
});
