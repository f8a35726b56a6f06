import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import type { PlainFacts } from "../evaluate/lookup.ts";
import { exampleThing, factsWith, gpuNode, hcoAnnotated, prefix, previewsIn } from "../testing/preview-fixtures.ts";
import { documentOf, objectRow, reasonText, rowsOf } from "./rows.ts";

type Case = {
  readonly reason: string;
  readonly said?: Readonly<Record<string, string>>;
  readonly facts?: Partial<PlainFacts>;
  readonly status: string;
  readonly row: string;
};

const live = (annotations: Readonly<Record<string, string>>, spec = {}) => ({
  objects: [exampleThing(spec, annotations)],
});

const contested: KubeObject = {
  ...exampleThing({ size: 7 }),
  metadata: {
    name: "ours",
    uid: "1",
    managedFields: [
      { manager: "kubectl", operation: "Update", fieldsType: "FieldsV1", fieldsV1: { "f:spec": { "f:size": {} } } },
    ],
  },
};

const cases: readonly Case[] = [
  { reason: "a missing object is created", status: "Pending", row: "INCLUDED" },
  {
    reason: "an idle operator skips everything",
    said: { "virt-platform-operator": "false" },
    status: "Excluded",
    row: "EXCLUDED NotActivated: the platform controller is disabled; to enable it, set annotation platform.kubevirt.io/virt-platform-operator on the HyperConverged",
  },
  {
    reason: "a disabled switch skips an asset",
    said: { "enable-first": "false" },
    status: "Excluded",
    row: `EXCLUDED SwitchedOff: expected ${prefix}enable-first not false, found ${prefix}enable-first=false`,
  },
  {
    reason: "a rule excludes",
    said: { "disabled-resources": "[{kind: Thing, name: our*}]" },
    status: "Excluded",
    row: "FILTERED RootExclusion: rule 0 of annotation disabled-resources",
  },
  {
    reason: "unreadable rules are an error",
    said: { "disabled-resources": "[{kind: Thing}]" },
    status: "Excluded",
    row: "ERROR InvalidExclusions: annotation disabled-resources is invalid, and no earlier valid value is known",
  },
  {
    reason: "a missing CRD skips an asset",
    facts: { crds: [] },
    status: "Excluded",
    row: "EXCLUDED CRDMissing: things.a.io",
  },
  {
    reason: "an unmanaged object is skipped",
    facts: live({ mode: "unmanaged" }),
    status: "Unmanaged",
    row: `EXCLUDED Unmanaged: annotation ${prefix}mode is unmanaged`,
  },
  {
    reason: "a paused object is skipped",
    facts: live({ "reconcile-paused": "true" }),
    status: "Paused",
    row: `EXCLUDED Paused: annotation ${prefix}reconcile-paused is true (manual)`,
  },
  {
    reason: "an unreadable patch is an error and a hold",
    facts: live({ patch: "{" }),
    status: "Held",
    row: "ERROR InvalidPatch: invalid patch annotation: not JSON",
  },
  {
    reason: "an unreadable pointer is an error and a hold",
    facts: live({ "ignore-fields": "spec" }),
    status: "Held",
    row: "ERROR InvalidIgnoreFields: JSON pointer must start with /: spec",
  },
  {
    reason: "a foreign object is contested as a whole",
    facts: { objects: [contested] },
    status: "Contested",
    row: "EXCLUDED Contested: /spec/size (kubectl)",
  },
  {
    reason: "an object with a foreign label is foreign",
    facts: { objects: [{ ...exampleThing({}), metadata: { name: "ours", labels: { [`${prefix}managed-by`]: "x" } } }] },
    status: "Unmanaged",
    row: "EXCLUDED ManagedByOther: label platform.kubevirt.io/managed-by names x",
  },
];

test.each(cases)("$reason", ({ said = {}, facts = {}, status, row }) => {
  const [preview] = previewsIn(factsWith(hcoAnnotated(said), facts));
  if (preview === undefined) throw new Error("there is no object");
  const [first] = rowsOf(preview);
  expect(`${first?.status} ${reasonText(first ?? {})}`.trim()).toBe(row);
  expect(objectRow(preview, undefined).status).toBe(status);
  expect(documentOf(preview) !== undefined).toBe(row === "INCLUDED");
});

test("an unread input holds the object and is reported", () => {
  const unreadReason: PlainFacts["unreadReason"] = ({ kind }) => (kind === "Rule" ? "forbidden" : undefined);
  const [preview] = previewsIn(factsWith(hcoAnnotated({ "enable-second": "true" }), { unreadReason }));
  expect(preview && rowsOf(preview).map((row) => `${row.status} ${reasonText(row)}`)).toEqual([
    "ERROR InputUnavailable: Rule rules: forbidden",
    "ERROR InputUnavailable: Rule rules: forbidden",
  ]);
  expect(preview && objectRow(preview, undefined).status).toBe("Held");
});

test("an unread object does not count as absent", () => {
  const unreadReason: PlainFacts["unreadReason"] = ({ kind }) => (kind === "Thing" ? "forbidden" : undefined);
  const [preview] = previewsIn(factsWith(hcoAnnotated()), unreadReason);
  expect(preview && rowsOf(preview).map((row) => `${row.status} ${reasonText(row)}`)).toEqual([
    "ERROR InputUnavailable: forbidden",
    expect.stringContaining("SwitchedOff"),
  ]);
});

test("a singleton yields to another object of its kind", () => {
  const other = { ...exampleThing({}), metadata: { name: "theirs" } };
  const facts = (...objects: readonly KubeObject[]) => factsWith(hcoAnnotated(), { objects: [gpuNode, ...objects] });
  const third = (...objects: readonly KubeObject[]) =>
    previewsIn(facts(...objects))
      .flatMap(rowsOf)
      .find(({ asset }) => asset.name === "third");
  expect(third()).toMatchObject({ status: "INCLUDED" });
  expect(third(other)).toMatchObject({ status: "EXCLUDED", reason: "AlreadyProvided", details: "Thing theirs" });
  expect(third(other, { ...other, metadata: { name: "other" } })).toMatchObject({ status: "INCLUDED" });
});

test("a document is the applied object without our state", () => {
  const [preview] = previewsIn(factsWith(hcoAnnotated({ "enable-second": "true" })));
  expect(preview && documentOf(preview)).toEqual({
    apiVersion: "a.io/v1",
    kind: "Thing",
    metadata: { name: "ours", labels: { [`${prefix}managed-by`]: "virt-platform-operator" } },
    spec: { size: 1, colour: "red" },
  });
});

test("shows an object whose deletion the gate blocks", () => {
  const [preview] = previewsIn(factsWith(hcoAnnotated({ "enable-first": "false" })));
  if (preview === undefined) throw new Error("there is no object");
  const heldRemoval = { kind: "held", reason: "RebootGate", message: "1 VM blocks the drain" } as const;
  expect(objectRow(preview, { heldRemoval })).toMatchObject({
    status: "Held",
    held: "RebootGate: 1 VM blocks the drain",
  });
  expect(objectRow(preview)).toMatchObject({ status: "Excluded" });
});

test("a failed reconcile makes an object failed or unknown unless in sync", () => {
  const [preview] = previewsIn(factsWith(hcoAnnotated()));
  if (preview === undefined) throw new Error("there is no object");
  const error = { message: "no", isPermanent: true };
  expect(objectRow(preview, { lastError: error })).toMatchObject({ status: "Failed", lastError: "no" });
  expect(objectRow(preview, { lastError: { ...error, isPermanent: false } })).toMatchObject({ status: "Unknown" });
});
