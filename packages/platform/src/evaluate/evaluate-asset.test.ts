import type { KubeObject } from "@virt/api";
import { readHardware, readTopology } from "@virt/cluster";
import { expect, test } from "vitest";
import { annotationIs, defineAsset, nothing } from "../asset.ts";
import { readExclusions } from "../disabled-resources.ts";
import { readHco } from "../hco-fact.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { evaluateAsset } from "./evaluate-asset.ts";

const crd = "things.example.com";
const thing: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "thing", namespace: "place" },
  spec: { a: 1 },
};
const asset = defineAsset({
  name: "asset",
  group: "group",
  feature: { name: "feature", description: "", maturity: "GA" },
  tier: "advanced",
  phase: 1,
  order: 1,
  target: { apiVersion: "example.com/v1", kind: "Thing", name: "thing", namespace: "place", crd },
  needs: [{ apiVersion: "example.com/v1", kind: "Needed", crd: "needed.example.com" }],
  gates: [{ apiVersion: "example.com/v1", kind: "Gate", crd: "gate.example.com" }],
  dependency: "optional",
  switch: { present: "vfio-devices" },
  conditions: [annotationIs("wanted", "yes")],
  purpose: "purpose",
  singleton: true,
  alternates: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "other", namespace: "$hco" }],
  counterparts: [
    {
      theirs: [{ apiVersion: "example.com/v1", kind: "Thing", name: "theirs" }],
      ours: [{ kind: "Thing", name: "thing" }],
      appliedWith: "always",
      content: "differs",
      adoption: "keep",
      replacementReboots: true,
    },
  ],
  adoption: "whole",
  impact: "reboot",
  reads: {
    own: { read: "object", ref: { apiVersion: "v1", kind: "ConfigMap", name: "input", namespace: "$operator" } },
  },
  render: () => thing,
});

const hcoWith = (said: Readonly<Record<string, string>>) =>
  readHco(
    {
      apiVersion: "hco.kubevirt.io/v1",
      kind: "HyperConverged",
      metadata: {
        name: "kubevirt-hyperconverged",
        namespace: "openshift-cnv",
        annotations: Object.fromEntries(
          Object.entries(said).map(([key, text]) => [`platform.kubevirt.io/${key}`, text]),
        ),
      },
    },
    undefined,
  );

function rulesOf(text: string) {
  const read = readExclusions(text);
  return read.kind === "rules" ? read.rules : undefined;
}

const plan = (profile: string, name = "somewhere-else") => ({
  metadata: { name: "plan" },
  spec: { profile, action: "Apply" },
  status: {
    executedGeneration: 1,
    items: [{ targetRef: { apiVersion: "example.com/v9", kind: "Thing", name, namespace: "place" } }],
  },
});

function listing(name: string, isActive = true): ClusterFacts["activation"] {
  return { isActive, listed: new Set([name]), unknown: [], source: "key", text: name };
}

const isDaemonSet = ({ kind }: { readonly kind: string }) => kind === "DaemonSet";
const autopilotThing: KubeObject = {
  ...thing,
  metadata: { ...thing.metadata, labels: { "platform.kubevirt.io/managed-by": "virt-platform-autopilot" } },
};

const worst: ClusterFacts = {
  hco: undefined,
  activation: listing("another", false),
  autopilot: { state: "Active", since: "1970-01-01T00:00:00Z", namespace: "openshift-cnv" },
  exclusions: undefined,
  brokenDevices: ["vfio-devices"],
  hardware: readHardware([]),
  hardwareChanges: [],
  topology: readTopology({ infrastructure: undefined, scheduler: undefined, nodes: [], crds: new Set() }),
  images: {},
  crds: new Set(),
  plans: [plan("governing", "thing")],
  purposesOf: (profile) => (profile === "governing" ? ["purpose"] : []),
  released: { asset: { by: "plan" } },
  hasNamespace: () => undefined,
  fact: () => ({ kind: "unavailable", why: "the server does not answer" }),
  live: (ref) => (isDaemonSet(ref) ? { ...thing, kind: ref.kind } : autopilotThing),
  others: () => [{ ...thing, metadata: { name: "foreign" } }],
  unlisted: () => "not listed yet",
  ownNamespace: "own",
  unread: undefined,
};

/** Fixes one cause after another. After each fix, the next check fails. */
const ladder: readonly { reason: string; details: string; fixed: Partial<ClusterFacts> }[] = [
  { reason: "excluded HCOMissing", details: "HyperConverged not found", fixed: { hco: hcoWith({}) } },
  {
    reason: "excluded NotActivated",
    details: "disabled",
    fixed: { activation: listing("another") },
  },
  {
    reason: "excluded NotListed",
    details: "neither asset nor its group",
    fixed: { activation: listing("group") },
  },
  {
    reason: "excluded SwitchedOff",
    details: "expected platform.kubevirt.io/vfio-devices present, found absent",
    fixed: { hco: hcoWith({ "vfio-devices": "[" }) },
  },
  { reason: "held InvalidConfiguration", details: "vfio-devices", fixed: { brokenDevices: [] } },
  {
    reason: "excluded ConditionNotMet",
    details: "expected",
    fixed: { hco: hcoWith({ "vfio-devices": "[]", wanted: "yes" }) },
  },
  {
    reason: "excluded InvalidExclusions",
    details: "disabled-resources",
    fixed: { exclusions: rulesOf("[{kind: Thing, name: thing}]") },
  },
  { reason: "excluded RootExclusion", details: "disabled-resources", fixed: { exclusions: [] } },
  { reason: "excluded GovernedByPlan", details: "Config plan", fixed: { plans: [plan("other", "thing")] } },
  { reason: "excluded GovernedByPlan", details: "VirtPlatformConfig plan", fixed: { plans: [plan("other")] } },
  {
    reason: "held InputUnavailable",
    details: "Thing: not listed yet",
    fixed: { unlisted: () => undefined },
  },
  {
    reason: "excluded ManagedByAutopilot",
    details: "virt-platform-autopilot manages Thing place/thing",
    fixed: { live: (ref) => (isDaemonSet(ref) ? { ...thing, kind: ref.kind } : undefined) },
  },
  {
    reason: "excluded ClaimedByAutopilot",
    details: "virt-platform-autopilot applies Thing theirs",
    fixed: { autopilot: { ...worst.autopilot, state: "Off" }, unlisted: () => "not listed yet" },
  },
  { reason: "excluded ReleasedByPlan", details: "VirtPlatformConfig plan", fixed: { released: {} } },
  { reason: "excluded CRDMissing", details: crd, fixed: { crds: new Set([crd]) } },
  {
    reason: "excluded CRDMissing",
    details: "needed.example.com",
    fixed: { crds: new Set([crd, "needed.example.com"]) },
  },
  {
    reason: "excluded CRDMissing",
    details: "gate.example.com",
    fixed: { crds: new Set([crd, "needed.example.com", "gate.example.com"]) },
  },
  {
    reason: "held InputUnavailable",
    details: "ConfigMap input: the server does not answer",
    fixed: { fact: () => ({ kind: "known", value: undefined }) },
  },
  { reason: "held InputUnavailable", details: "namespace place", fixed: { hasNamespace: () => false } },
  { reason: "excluded NamespaceMissing", details: "place", fixed: { hasNamespace: () => true } },
  {
    reason: "held InputUnavailable",
    details: "Thing: not listed yet",
    fixed: { unlisted: ({ kind }) => (kind === "DaemonSet" ? "forbidden" : undefined) },
  },
  { reason: "held InputUnavailable", details: "DaemonSet: forbidden", fixed: { unlisted: () => undefined } },
  { reason: "excluded AlreadyProvided", details: "DaemonSet openshift-cnv/other", fixed: { live: () => undefined } },
  { reason: "excluded AlreadyProvided", details: "Thing foreign", fixed: { others: () => [thing] } },
];

test("the first failing check is the reason, in the specified order", () => {
  let facts = worst;
  for (const { reason, details, fixed } of ladder) {
    const status = evaluateAsset(asset, facts);
    expect(`${status.kind} ${"reason" in status ? status.reason : ""}`).toBe(reason);
    expect("details" in status && status.details).toContain(details);
    facts = { ...facts, ...fixed };
  }
  expect(evaluateAsset(asset, facts)).toEqual({ kind: "active", object: thing, leftOut: [] });
});

test("no CRD is missing while the list may be incomplete", () => {
  const status = evaluateAsset(asset, { ...best, crds: new Set(), unread: { name: "crds", why: "not complete" } });
  expect(status).toMatchObject({ kind: "held", reason: "InputUnavailable", details: "crds: not complete" });
  expect(status).not.toHaveProperty("isExcluded");
});

test("an unread schema puts the asset on hold", () => {
  const fact: ClusterFacts["fact"] = ({ read }) =>
    read === "schema" ? { kind: "unavailable", why: "500" } : { kind: "known", value: undefined };
  expect(evaluateAsset(asset, { ...best, fact })).toMatchObject({
    kind: "held",
    details: "schema of things.example.com: 500",
  });
});

const best = ladder.reduce<ClusterFacts>((facts, { fixed }) => ({ ...facts, ...fixed }), worst);

test("foreign objects do not replace our existing object", () => {
  const live = (ref: { readonly kind: string }) => (ref.kind === "Thing" ? thing : { ...thing, kind: ref.kind });
  expect(evaluateAsset(asset, { ...best, live, others: worst.others }).kind).toBe("active");
});

test("previewed and ignored plans do not govern", () => {
  const preview = { ...plan("governing", "thing"), status: { items: [] } };
  const ignored = { ...plan("governing", "thing"), spec: { profile: "governing", action: "Ignore" } };
  expect(evaluateAsset(asset, { ...best, plans: [preview, ignored] }).kind).toBe("active");
});

test("a fieldwise object continues beside a plan", () => {
  const { purpose: _, ...rest } = asset;
  expect(evaluateAsset({ ...rest, adoption: "fieldwise" }, { ...best, plans: [plan("other", "thing")] }).kind).toBe(
    "active",
  );
});

const renders: readonly { reason: string; render: () => ReturnType<typeof asset.render>; status: string }[] = [
  {
    reason: "reports why nothing is applied",
    render: () => nothing("AlreadyEffective"),
    status: "NothingToApply: AlreadyEffective",
  },
  {
    reason: "a render that throws excludes only its asset",
    render: () => {
      throw new Error("no such fact");
    },
    status: "RenderError: no such fact",
  },
];

test.each(renders)("$reason", ({ render, status }) => {
  const found = evaluateAsset({ ...asset, render }, best);
  expect(found.kind === "excluded" && `${found.reason}: ${found.details}`).toBe(status);
});

test("omits and lists fields that the schema does not know", () => {
  const properties = { metadata: { type: "object" }, spec: { type: "object", properties: { b: { type: "integer" } } } };
  const schema = {
    type: "object",
    properties: { apiVersion: { type: "string" }, kind: { type: "string" }, ...properties },
  };
  const render = () => ({ ...thing, spec: { a: 1, b: 2 } });
  const found = evaluateAsset(
    { ...asset, render },
    { ...best, fact: ({ read }) => ({ kind: "known", value: read === "schema" ? schema : undefined }) },
  );
  expect(found).toMatchObject({ kind: "active", object: { spec: { b: 2 } } });
  expect(found.kind === "active" && found.leftOut.length).toBe(1);
  expect(found.kind === "active" && found.object["spec"]).toEqual({ b: 2 });
});

test("a render gets its declared facts and the operator's namespace", () => {
  const seen: unknown[] = [];
  const render = (facts: Parameters<typeof asset.render>[0]) => {
    seen.push(facts);
    return thing;
  };
  evaluateAsset(
    { ...asset, render },
    { ...best, fact: ({ read }) => ({ kind: "known", value: read === "object" ? thing : undefined }) },
  );
  expect(seen).toEqual([{ own: thing, ownNamespace: "own" }]);
});
