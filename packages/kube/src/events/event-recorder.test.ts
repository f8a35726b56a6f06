import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventInput } from "./event-correlator.ts";
import { createEvent, eventName, raiseSeries } from "./event-recorder.ts";

const reporter = { controller: "virt-advisor-operator", instance: "pod-1", namePrefix: "virt-advisor-operator." };
const hco = {
  apiVersion: "hco.kubevirt.io/v1beta1",
  kind: "HyperConverged",
  name: "kubevirt-hyperconverged",
  namespace: "openshift-cnv",
  uid: "1f6a",
};
const event: EventInput = {
  priority: "routine",
  regarding: hco,
  type: "Normal",
  reason: "AssetApplied",
  action: "AssetApplied MachineConfig//50-virt",
  note: "Applied asset swap-enable: MachineConfig//50-virt",
};
const bodyOf = (what: EventInput) =>
  JSON.parse(createEvent({ name: "n", input: what, wallMs: 0 }, reporter).body) as Record<string, string>;

test("an event has all required fields and a MicroTime", () => {
  const { method, path, body } = createEvent({ name: "n", input: event, wallMs: 1_700_000_000_123 }, reporter);
  expect([method, path]).toEqual(["POST", "/apis/events.k8s.io/v1/namespaces/openshift-cnv/events"]);
  expect(JSON.parse(body)).toEqual({
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: "n", namespace: "openshift-cnv" },
    eventTime: "2023-11-14T22:13:20.123000Z",
    regarding: hco,
    type: "Normal",
    reason: "AssetApplied",
    action: "AssetApplied MachineConfig//50-virt",
    note: "Applied asset swap-enable: MachineConfig//50-virt",
    reportingController: "virt-advisor-operator",
    reportingInstance: "pod-1",
  });
});

test("events of cluster-scoped objects are in the namespace default", () => {
  const { namespace: _, ...clusterScoped } = hco;
  const what = { name: "n", input: { ...event, regarding: clusterScoped, related: hco }, wallMs: 0 };
  expect(createEvent(what, reporter).path).toBe("/apis/events.k8s.io/v1/namespaces/default/events");
  expect(bodyOf(what.input)["related"]).toEqual(hco);
  const { path, body } = raiseSeries(what, 2);
  expect(path).toBe("/apis/events.k8s.io/v1/namespaces/default/events/n");
  expect(body).toBe('{"series":{"count":2,"lastObservedTime":"1970-01-01T00:00:00.000000Z"}}');
});

test("cuts texts to the limits of the server", () => {
  const long = { ...event, note: "ä".repeat(600), action: "a".repeat(200), reason: "R".repeat(200) };
  const { note = "", action = "", reason = "" } = bodyOf(long);
  expect([note, action, reason].map((text) => Buffer.byteLength(text))).toEqual([1023, 128, 128]);
  expect(note.endsWith("ä…")).toBe(true);
});

const subjects = fc.record(
  {
    apiVersion: fc.constantFrom("v1", "a/v1"),
    kind: fc.constantFrom("K", "L"),
    namespace: fc.constantFrom("", "a", "b"),
    name: fc.constantFrom("x", "y"),
    uid: fc.constantFrom("1", "2"),
  },
  { requiredKeys: ["apiVersion", "kind", "namespace", "name"] },
);
// A small alphabet makes different texts look alike when they are concatenated.
const texts = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom("a", ",", '"'), maxLength: 2 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);
const announcements = fc.record({
  priority: fc.constant("routine" as const),
  regarding: subjects,
  type: fc.constant("Normal" as const),
  reason: texts,
  action: texts,
  note: texts,
});

test("the name depends on exactly subject, reason, action and note", () => {
  const essence = ({ regarding: { uid, ...where }, reason, action, note }: EventInput) =>
    JSON.stringify([uid ?? where, reason, action, note]);
  const likenesses = fc.constantFrom("twin", "same subject", "same subject", "other");
  const law = fc.property(announcements, announcements, likenesses, (one, other, likeness) => {
    const { regarding } = one;
    const second =
      likeness === "twin" ? structuredClone(one) : { ...other, ...(likeness !== "other" && { regarding }) };
    return (eventName("p.", one) === eventName("p.", second)) === (essence(one) === essence(second));
  });
  fc.assert(law);
});

test("every name is valid and has the prefix", () => {
  const law = fc.property(announcements, (one) =>
    /^virt-platform-operator\.[0-9a-f]{16}$/.test(eventName("virt-platform-operator.", one)),
  );
  fc.assert(law);
});

test("notes that differ beyond the cut have different names", () => {
  const long = "n".repeat(2_000);
  expect(eventName("p.", { ...event, note: `${long}a` })).not.toBe(eventName("p.", { ...event, note: `${long}b` }));
});
