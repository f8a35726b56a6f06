import type { KubeObject } from "@virt/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AutopilotObservation,
  combinedStateOf,
  followAutopilot,
  isAutopilotObject,
  lastAutopilotWrite,
} from "./autopilot.ts";

const name = "virt-platform-autopilot";
const key = "platform.kubevirt.io/autopilot";
const startMs = Date.parse("2030-01-01T00:00:00Z");
const secondsAgo = (seconds: number) => new Date(startMs - seconds * 1000).toISOString().replace(".000Z", "Z");

type Entry = { readonly manager: string; readonly secondsAgo: number; readonly annotation?: string };

function hcoWith(value: string | undefined, ...entries: readonly Entry[]): KubeObject {
  const managedFields = entries.map(({ manager, annotation, ...entry }) => ({
    manager,
    operation: "Update",
    apiVersion: "hco.kubevirt.io/v1",
    time: secondsAgo(entry.secondsAgo),
    fieldsV1: { "f:metadata": { "f:annotations": annotation === undefined ? {} : { [`f:${annotation}`]: {} } } },
  }));
  const annotations = value === undefined ? {} : { [key]: value };
  const metadata = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv", annotations, managedFields };
  return { apiVersion: "hco.kubevirt.io/v1", kind: "HyperConverged", metadata };
}

function deployment({ replicas = 1, availableFor }: { replicas?: number; availableFor?: number } = {}): KubeObject {
  const since = { lastTransitionTime: secondsAgo(availableFor ?? 0) };
  const conditions = availableFor === undefined ? [] : [{ type: "Available", status: "True", ...since }];
  const metadata = { name, namespace: "openshift-cnv" };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas }, status: { conditions } };
}

const at = (seconds: number) => ({ wallMs: startMs + seconds * 1000, monotonicMs: seconds * 1000 });

function stateAfter(observed: AutopilotObservation, ...seconds: readonly number[]) {
  return seconds
    .map((second) => at(second))
    .reduce<ReturnType<typeof followAutopilot> | undefined>(
      (memory, time) => followAutopilot(memory, observed, time),
      undefined,
    );
}

const person = { manager: "kubectl-annotate", annotation: key };

test.each<[string, AutopilotObservation, string]>([
  ["without a Deployment", { hco: hcoWith(undefined), deployment: undefined }, "Absent"],
  ["with no replicas", { hco: hcoWith("true"), deployment: deployment({ replicas: 0 }) }, "Absent"],
  [
    "if the Deployment cannot be read",
    { hco: hcoWith("false", { ...person, secondsAgo: 900 }), deployment: undefined, unreadReason: "forbidden" },
    "Active",
  ],
  ["without the annotation", { hco: hcoWith(undefined), deployment: deployment() }, "Active"],
  ["with the annotation true", { hco: hcoWith("true"), deployment: deployment({ availableFor: 900 }) }, "Active"],
  ["with a list", { hco: hcoWith("psi-enable"), deployment: deployment({ availableFor: 900 }) }, "Active"],
  ["with any other text", { hco: hcoWith("off"), deployment: deployment({ availableFor: 900 }) }, "Active"],
  ["right after it was switched off", { hco: hcoWith("false"), deployment: deployment() }, "Active"],
  [
    "switched off for 30 seconds",
    { hco: hcoWith(" false ", { ...person, secondsAgo: 30 }), deployment: deployment() },
    "Off",
  ],
  [
    "switched off for 29 seconds",
    { hco: hcoWith("false", { ...person, secondsAgo: 29 }), deployment: deployment() },
    "Active",
  ],
  [
    "switched off, with a newer write to the HyperConverged",
    {
      hco: hcoWith("false", { ...person, secondsAgo: 900 }, { manager: name, secondsAgo: 5 }),
      deployment: deployment(),
    },
    "Active",
  ],
  [
    "switched off, with a newer write to another object",
    {
      hco: hcoWith("false", { ...person, secondsAgo: 900 }),
      deployment: deployment(),
      lastWriteMs: startMs - 5_000,
    },
    "Active",
  ],
  [
    "available for 10 minutes without any write",
    { hco: hcoWith(undefined), deployment: deployment({ availableFor: 600 }) },
    "Idle",
  ],
  [
    "available for less than 10 minutes",
    { hco: hcoWith(undefined), deployment: deployment({ availableFor: 599 }) },
    "Active",
  ],
  [
    "available for 10 minutes, with its fields on the HyperConverged",
    { hco: hcoWith(undefined, { manager: name, secondsAgo: 900 }), deployment: deployment({ availableFor: 900 }) },
    "Active",
  ],
])("the state of the autopilot %s", (_case, observed, state) => {
  expect(followAutopilot(undefined, observed, at(0)).state).toBe(state);
});

test("the autopilot is off 30 seconds after the process first saw it switched off", () => {
  const observed = { hco: hcoWith("false", { ...person, secondsAgo: -60 }), deployment: deployment() };
  expect(stateAfter(observed, 0)).toMatchObject({ state: "Active", dueMs: 30_000 });
  expect(stateAfter(observed, 0, 29)).toMatchObject({ state: "Active", dueMs: 30_000 });
  expect(stateAfter(observed, 0, 30)).toMatchObject({ state: "Off", sinceMs: at(30).wallMs });
  expect(stateAfter(observed, 0, 30, 90)).toMatchObject({ state: "Off", sinceMs: at(30).wallMs });
});

test("a write of the autopilot restarts the wait", () => {
  const observed = { hco: hcoWith("false"), deployment: deployment() };
  const written = { ...observed, lastWriteMs: at(40).wallMs };
  const off = stateAfter(observed, 0, 30);
  const back = followAutopilot(off, written, at(41));
  expect(back).toMatchObject({ state: "Active", dueMs: 70_000 });
  expect(followAutopilot(back, written, at(70)).state).toBe("Off");
});

test("switching the autopilot on again forgets the wait", () => {
  const [off, on] = ["false", "true"].map((value) => ({ hco: hcoWith(value), deployment: deployment() }));
  if (off === undefined || on === undefined) throw new Error("two observations");
  const later = followAutopilot(stateAfter(off, 0, 30), on, at(31));
  expect(later).toEqual({ state: "Active", sinceMs: at(31).wallMs });
  expect(followAutopilot(later, off, at(32))).toMatchObject({ state: "Active", dueMs: 62_000 });
});

test("a process that restarts never sees the autopilot off earlier than one that kept running", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(90), { minLength: 1, maxLength: 6 }), fc.nat(90), (steps, ageSeconds) => {
      const observed = {
        hco: hcoWith("false", { ...person, secondsAgo: ageSeconds - 45 }),
        deployment: deployment(),
      };
      const seconds = steps.toSorted((left, right) => left - right);
      const last = seconds.at(-1) ?? 0;
      const kept = stateAfter(observed, ...seconds)?.state;
      const restarted = stateAfter(observed, last)?.state;
      expect(restarted === "Off" && kept !== "Off").toBe(false);
    }),
  );
});

const labelled = (labels: Record<string, string>, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", labels, annotations },
});

test.each<[string, KubeObject, boolean]>([
  ["with its label", labelled({ "platform.kubevirt.io/managed-by": name }), true],
  ["with its fields", { ...hcoWith(undefined, { manager: name, secondsAgo: 1 }), kind: "Thing" }, true],
  ["with our label", labelled({ "platform.kubevirt.io/managed-by": "virt-platform-operator" }), false],
  [
    "that is unmanaged",
    labelled({ "platform.kubevirt.io/managed-by": name }, { "platform.kubevirt.io/mode": "unmanaged" }),
    false,
  ],
])("whether the autopilot manages an object %s", (_case, object, isTheirs) => {
  expect(isAutopilotObject(object)).toBe(isTheirs);
});

test("the last write is the newest entry of the autopilot's manager", () => {
  const entries = [
    { manager: name, secondsAgo: 50 },
    { manager: name, secondsAgo: 40 },
    { ...person, secondsAgo: 1 },
  ];
  expect(lastAutopilotWrite(hcoWith(undefined, ...entries))).toBe(startMs - 40_000);
  expect(lastAutopilotWrite(hcoWith(undefined))).toBeUndefined();
});

test("the combined state names the operators that are active", () => {
  expect(
    (["Absent", "Off", "Idle", "Active"] as const).map((state) => [
      combinedStateOf(state, true),
      combinedStateOf(state, false),
    ]),
  ).toEqual([
    ["Alone", "None"],
    ["Alone", "None"],
    ["Alone", "None"],
    ["Both", "AutopilotOnly"],
  ]);
});
