// Parts of many kinds: label selectors, conditions and object references.

import type { Field } from "../subject.ts";

export const time = "2026-01-02T03:04:05Z";

export const selector = {
  matchLabels: { "example.com/kind": "a" },
  matchExpressions: [{ key: "example.com/size", operator: "In", values: ["b"] }],
};

/** The API server does not validate operators here. The reader of the selector does. */
export function selectorFields(path: string): readonly Field[] {
  return [
    { path, good: [{}] },
    { path: `${path}.matchLabels`, isOpen: true, good: [{}] },
    { path: `${path}.matchLabels{}` },
    { path: `${path}.matchExpressions`, good: [[]] },
    { path: `${path}.matchExpressions[].key`, isRequired: true },
    { path: `${path}.matchExpressions[].operator`, isRequired: true, good: ["Exists", "NotAnOperator"] },
    { path: `${path}.matchExpressions[].values`, good: [[]] },
    { path: `${path}.matchExpressions[].values[]` },
  ];
}

export function selectorPaths(path: string): readonly string[] {
  return selectorFields(path).map((field) => field.path);
}

export const condition = {
  type: "Available",
  status: "True",
  lastTransitionTime: time,
  reason: "AsExpected",
  message: "all is well",
};

/** A condition in the Kubernetes form since 1.19. */
export function conditionFields(path: string, keys: { readonly areUnique: boolean }): readonly Field[] {
  const twice = [condition, { ...condition, status: "False" }];
  return [
    { path, ...(keys.areUnique ? { good: [[]], bad: [twice] } : { good: [[], twice] }) },
    { path: `${path}[]` },
    { path: `${path}[].type`, isRequired: true, good: ["example.com/Ready"], bad: ["", "not a type", "a".repeat(317)] },
    { path: `${path}[].status`, isRequired: true, good: ["False", "Unknown"], bad: ["true", ""] },
    { path: `${path}[].lastTransitionTime`, isRequired: true, bad: ["yesterday", ""] },
    { path: `${path}[].reason`, isRequired: true, bad: ["", "not a reason", "a".repeat(1025)] },
    { path: `${path}[].message`, isRequired: true, good: [""], bad: ["a".repeat(32_769)] },
    { path: `${path}[].observedGeneration`, good: [0], bad: [-1] },
  ];
}

/** A condition of the older kinds, of which only the types are validated. */
export function looseConditionFields(path: string, isRequired = false): readonly Field[] {
  return [
    { path, good: [[]] },
    { path: `${path}[]` },
    { path: `${path}[].type`, isRequired, good: ["not a type"] },
    { path: `${path}[].status`, isRequired, good: ["true"] },
    { path: `${path}[].lastTransitionTime`, bad: ["yesterday"] },
    { path: `${path}[].reason`, good: ["not a reason", ""] },
    { path: `${path}[].message`, good: [""] },
  ];
}

export const fullCondition = { ...condition, observedGeneration: 1 };

export const reference = {
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "a",
  namespace: "b",
  uid: "c",
  resourceVersion: "1",
  fieldPath: "d",
};

export function referenceFields(path: string, isRequired = false): readonly Field[] {
  return [{ path, isRequired }, ...Object.keys(reference).map((key) => ({ path: `${path}.${key}`, good: [""] }))];
}

export function referencePaths(path: string): readonly string[] {
  return referenceFields(path).map((field) => field.path);
}
