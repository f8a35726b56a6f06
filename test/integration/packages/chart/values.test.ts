// @module-tag thorough

import { expect, test } from "vitest";
import { chart, helm, setting } from "./run-helm.ts";

test("helm lint --strict passes", () => {
  expect(helm(["lint", "--strict", chart])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("0 chart(s) failed"),
  });
});

const refused = [
  { value: "replicas=0", says: "at '/replicas': minimum: got 0, want 1" },
  { value: 'replicas="two"', says: "at '/replicas': got string, want null or integer" },
  { value: "advisor.replicas=0", says: "at '/advisor/replicas': minimum: got 0, want 1" },
  {
    value: 'platform.activation="sometimes"',
    says: "at '/platform/activation': value must be one of 'opt-in', 'always'",
  },
  { value: 'pullPolicy="Often"', says: "at '/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'" },
  { value: 'advisor.enabled="no"', says: "at '/advisor/enabled': got string, want boolean" },
  { value: "advisor.enabeld=false", says: "additional properties 'enabeld' not allowed" },
  { value: "plattform.enabled=false", says: "additional properties 'plattform' not allowed" },
  { value: 'image=""', says: "image is not set. Next: build and push an image" },
  { value: "image=null", says: "missing property 'image'" },
  { value: 'resources={"limits":{"memory":"much"}}', says: "at '/resources/limits/memory'" },
  { value: 'logLevel="loud"', says: "at '/logLevel': value must be one of 'debug', 'info', 'warn', 'error'" },
  { value: 'hcoNamespace="Not_One"', says: "at '/hcoNamespace'" },
  { value: 'extraArgs=["log-level=debug"]', says: "at '/extraArgs/0'" },
  { value: 'imagePullSecrets=["mine"]', says: "at '/imagePullSecrets/0': got string, want object" },
  { value: 'tolerations={"key":"a"}', says: "at '/tolerations': got object, want array" },
  {
    value: 'tolerations=[{"efect":"NoSchedule"}]',
    says: "at '/tolerations/0': additional properties 'efect' not allowed",
  },
  { value: 'affinity={"nodeAffinty":{}}', says: "at '/affinity': additional properties 'nodeAffinty' not allowed" },
  { value: 'topologySpreadConstraints=[{"maxSkew":1}]', says: "at '/topologySpreadConstraints/0': missing properties" },
  { value: 'priorityClassName="Not_One"', says: "at '/priorityClassName'" },
  { value: 'extraEnv=[{"name":"A","valu":"b"}]', says: "at '/extraEnv/0': additional properties 'valu' not allowed" },
  {
    value: 'extraEnv=[{"name":"VIRT_OPERATOR_LOG_LEVEL","value":"debug"}]',
    says: "extraEnv: VIRT_OPERATOR_LOG_LEVEL has a value of its own: set logLevel instead",
  },
];

test.each(refused)("refuses $value", ({ value, says }) => {
  const { code, stderr } = helm(["template", "any", chart, ...setting([value])]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(says);
});

test("refuses a chart without an image and names the value to set", () => {
  const { code, stderr } = helm(["template", "any", chart]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("--set image=<registry>/virt-operators@sha256:<digest>");
});

test("refuses a chart that runs nothing", () => {
  const nothing = setting(["advisor.enabled=false", "platform.enabled=false"]);
  const { code, stderr } = helm(["template", "any", chart, ...nothing]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("nothing would run: set advisor.enabled or platform.enabled to true");
});

const recommendation =
  "helm upgrade any <chart> --namespace default --reset-then-reuse-values --set advisor.requireApprovedPlan=true";

function notesOf({ code, stdout }: ReturnType<typeof helm>): string {
  const [, notes = ""] = stdout.split("\nNOTES:\n");
  expect({ code, hasNotes: notes !== "" }).toEqual({ code: 0, hasNotes: true });
  return notes;
}

test("the notes list the impact command before the annotate command", () => {
  const notes = notesOf(helm(["install", "any", chart, "--dry-run=client", "-n", "default", ...setting([])]));
  const lines = notes.split("\n").filter((line) => /^ {2}kubectl (?:virt-advisor|annotate) /u.test(line));
  expect(lines.map((line) => line.trim().split(" ", 3).join(" "))).toEqual([
    "kubectl virt-advisor enable",
    "kubectl annotate hyperconverged",
  ]);
});

test.each([
  { values: [], isShown: true },
  { values: ["advisor.requireApprovedPlan=true"], isShown: false },
  { values: ["advisor.enabled=false"], isShown: false },
])("with $values the notes recommend requireApprovedPlan for production: $isShown", ({ values, isShown }) => {
  const notes = notesOf(helm(["install", "any", chart, "--dry-run=client", "-n", "default", ...setting(values)]));
  expect(notes.includes("Recommended for production:")).toBe(isShown);
  expect(notes.includes(recommendation)).toBe(isShown);
});
