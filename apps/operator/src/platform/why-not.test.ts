import type { Writing } from "@virt/kube";
import { expect, test } from "vitest";
import { whyNot } from "./why-not.ts";

const ref = { apiVersion: "example.org/v1", kind: "Thing", namespace: "here", name: "thing" };
const bare = [
  { field: "spec.a", manager: "kubectl-edit" },
  { field: "spec.b", manager: "argo" },
];

const cases: readonly { reason: string; writing: Writing; words: string }[] = [
  {
    reason: "a namespace that is not there is named",
    writing: { kind: "missing", what: "namespace" },
    words: "namespace here does not exist",
  },
  {
    reason: "a kind that is not served is named",
    writing: { kind: "missing", what: "kind" },
    words: "kind Thing of example.org/v1 is not served",
  },
  {
    reason: "fields of others are named with their managers",
    writing: { kind: "conflict", conflicts: bare },
    words: "others own fields: spec.a (kubectl-edit), spec.b (argo)",
  },
  {
    reason: "somebody who was faster is no error of anybody",
    writing: { kind: "stale" },
    words: "it changed while it was looked at",
  },
  {
    reason: "nor is somebody who deleted it",
    writing: { kind: "absent" },
    words: "it was deleted while it was looked at",
  },
  {
    reason: "a refusal is told in the server's words",
    writing: { kind: "rejected", reason: "Invalid", message: "spec.a: bad" },
    words: "spec.a: bad",
  },
  {
    reason: "a server that does not answer has its own words",
    writing: { kind: "unavailable", message: "the API server answered 503" },
    words: "the API server answered 503",
  },
];

test.each(cases)("$reason", ({ writing, words }) => expect(whyNot(writing, ref)).toBe(words));
