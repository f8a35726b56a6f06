import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { pathsOf } from "./field-set.ts";
import {
  appliedBy,
  completeConflict,
  describeOpponent,
  givesUpFields,
  isMadeBy,
  opponentOf,
  ownersOf,
  readOwners,
} from "./owners.ts";
import { fieldPath, writePath } from "./path.ts";

type Entry = { manager: string; operation?: string; time?: string; subresource?: string; fields: Json };

const entry = ({ manager, operation = "Update", fields, ...rest }: Entry): Json => ({
  manager,
  operation,
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: fields,
  ...rest,
});

const objectWith = (...entries: readonly Entry[]): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", managedFields: entries.map(entry) },
});

const ours = "virt-platform-operator";
const mode: Json = { "f:spec": { "f:mode": {} } };
const replicas: Json = { "f:spec": { "f:replicas": {} } };

const live = objectWith(
  { manager: ours, operation: "Apply", fields: mode },
  { manager: ours, operation: "Apply", subresource: "status", fields: { "f:status": {} } },
  { manager: "kubectl-edit", time: "2025-01-01T00:00:01Z", fields: replicas },
);

test("we own what we applied, except subresources", () => {
  expect(pathsOf(appliedBy(readOwners(live), ours)).map(writePath)).toEqual(["/spec/mode"]);
  expect(pathsOf(appliedBy(readOwners(live), "kubectl-edit"))).toEqual([]);
});

test("an apply gives up the fields that it no longer contains, even if another manager owns them", () => {
  const both = objectWith({ manager: ours, operation: "Apply", fields: mode }, { manager: "other", fields: mode });
  const theirs = objectWith({ manager: "other", fields: mode });
  expect(givesUpFields(both, theirs, ours)).toBe(true);
  expect(givesUpFields(both, both, ours)).toBe(false);
  expect(givesUpFields(theirs, both, ours)).toBe(false);
});

test("managers of a field, its parent or its part own it", () => {
  const owners = readOwners(live);
  const names = (...path: readonly string[]) => ownersOf(owners, fieldPath(...path)).map(({ manager }) => manager);
  expect(names("spec", "mode", "x")).toEqual([ours]);
  expect(names("spec")).toEqual([ours, "kubectl-edit"]);
  expect(names("data")).toEqual([]);
});

test("omits invalid entries", () => {
  const broken: KubeObject = {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "x", managedFields: [1, null, {}, { manager: 7 }, { manager: "a" }] },
  };
  expect(readOwners(broken).map(({ manager, operation }) => ({ manager, operation }))).toEqual([
    { manager: "a", operation: "Update" },
  ]);
  expect(readOwners({ apiVersion: "v1", kind: "Thing", metadata: { name: "x" } })).toEqual([]);
});

const args: Json = { "f:metadata": { "f:labels": { "f:a": {} } }, "f:spec": { "f:kernelArguments": {} } };
const made: readonly { reason: string; object: KubeObject; isMade: boolean }[] = [
  {
    reason: "an object is ours if we applied its fields",
    object: objectWith({ manager: ours, operation: "Apply", fields: args }),
    isMade: true,
  },
  {
    reason: "labels of others do not change that",
    object: objectWith(
      { manager: ours, operation: "Apply", fields: args },
      { manager: "x", fields: { "f:metadata": { "f:labels": { "f:b": {} } } } },
    ),
    isMade: true,
  },
  {
    reason: "a field of others under spec makes it theirs",
    object: objectWith(
      { manager: ours, operation: "Apply", fields: args },
      { manager: "x", fields: { "f:spec": { "f:fips": {} } } },
    ),
    isMade: false,
  },
  {
    reason: "a shared field makes it theirs",
    object: objectWith(
      { manager: ours, operation: "Apply", fields: args },
      { manager: "x", operation: "Apply", fields: args },
    ),
    isMade: false,
  },
  { reason: "an update is not an apply", object: objectWith({ manager: ours, fields: args }), isMade: false },
  {
    reason: "a managed field that we do not own makes it theirs",
    object: objectWith({ manager: ours, operation: "Apply", fields: mode }),
    isMade: false,
  },
  { reason: "an object without owners is not ours", object: objectWith(), isMade: false },
];

test.each(made)("$reason", ({ object, isMade }) => {
  expect(isMadeBy(object, ours, ["spec.kernelArguments"])).toBe(isMade);
});

const early = "2025-01-01T00:00:00Z";
const late = "2025-01-01T02:00:00+01:00";
const encounters: readonly { reason: string; live: readonly Entry[]; answer?: readonly Entry[]; text: string }[] = [
  {
    reason: "the owner of the field is the opponent",
    live: [
      { manager: "a", fields: mode },
      { manager: "b", fields: replicas, time: late },
    ],
    text: '"a" (Update)',
  },
  {
    reason: "the newest of several owners is the opponent",
    live: [
      { manager: "a", fields: mode },
      { manager: "b", fields: mode, time: early },
      { manager: "c", operation: "Apply", fields: mode, time: late },
    ],
    text: '"c" (Apply)',
  },
  {
    reason: "the owner of a parent is the opponent",
    live: [{ manager: "a", fields: { "f:spec": {} } }],
    text: '"a" (Update)',
  },
  {
    reason: "we are not our own opponent",
    live: [
      { manager: ours, operation: "Apply", fields: mode },
      { manager: `${ours}-released`, operation: "Apply", fields: mode },
    ],
    text: "unknown",
  },
  {
    reason: "a status writer is not an opponent",
    live: [{ manager: "a", subresource: "status", fields: mode, time: late }],
    text: "unknown",
  },
  {
    reason: "the client with a newer write removed the field",
    live: [
      { manager: "a", fields: replicas, time: early },
      { manager: "b", fields: replicas, time: late },
    ],
    answer: [
      { manager: "a", fields: replicas, time: early },
      { manager: "b", fields: replicas, time: early },
    ],
    text: '"b" (Update)',
  },
  {
    reason: "the client with other fields than before removed the field",
    live: [{ manager: "a", fields: replicas, time: early }],
    answer: [{ manager: "a", fields: { "f:spec": { "f:replicas": {}, "f:mode": {} } }, time: early }],
    text: '"a" (Update)',
  },
  {
    reason: "a client without a new write is not blamed",
    live: [{ manager: "a", fields: replicas, time: early }],
    answer: [{ manager: "a", fields: replicas, time: early }],
    text: "unknown",
  },
];

test.each(encounters)("$reason", ({ live, answer = [], text }) => {
  const encounter = {
    live: readOwners(objectWith(...live)),
    answer: readOwners(objectWith(...answer)),
    ours: [ours, `${ours}-released`],
  };
  expect(describeOpponent(opponentOf(fieldPath("spec", "mode"), encounter))).toBe(text);
});

test("completes a conflict with operation and time of its manager", () => {
  const list: Json = {
    "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { "f:name": {} } }, "f:tags": { 'v:"x"': {} } },
  };
  const owners = readOwners(
    objectWith(
      { manager: "a", fields: mode, time: early },
      { manager: "a", operation: "Apply", fields: list, time: late },
    ),
  );
  const complete = (field: string, manager = "a") => completeConflict({ field, manager }, owners);
  expect(complete(".spec.mode")).toEqual({ field: "spec.mode", manager: "a", operation: "Update", time: early });
  expect(complete('.spec.ports[port=80,protocol="TCP"].name')).toMatchObject({ operation: "Apply", time: late });
  expect(complete('.spec.tags[="x"]')).toMatchObject({ operation: "Apply" });
  expect(complete(".spec.other", "b")).toEqual({ field: "spec.other", manager: "b", operation: "Update" });
});
