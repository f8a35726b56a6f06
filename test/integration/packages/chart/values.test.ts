// The chart is in order, and refuses values that mean nothing, in words.

import { expect, test } from "vitest";
import { chart, helm, setting } from "./run-helm.ts";

test("helm finds nothing to complain of", () => {
  expect(helm(["lint", "--strict", chart])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("0 chart(s) failed"),
  });
});

const refused = [
  { value: "replicas=0", says: "at '/replicas': minimum: got 0, want 1" },
  { value: 'replicas="two"', says: "at '/replicas': got string, want integer" },
  {
    value: 'platform.activation="sometimes"',
    says: "at '/platform/activation': value must be one of 'opt-in', 'always'",
  },
  { value: 'pullPolicy="Often"', says: "at '/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'" },
  { value: 'advisor.enabled="no"', says: "at '/advisor/enabled': got string, want boolean" },
  { value: "advisor.enabeld=false", says: "additional properties 'enabeld' not allowed" },
  { value: "plattform.enabled=false", says: "additional properties 'plattform' not allowed" },
  { value: 'image=""', says: "at '/image'" },
  { value: 'resources={"limits":{"memory":"much"}}', says: "at '/resources/limits/memory'" },
  { value: 'tolerations={"key":"a"}', says: "at '/tolerations': got object, want array" },
];

test.each(refused)("$value is refused", ({ value, says }) => {
  const { code, stderr } = helm(["template", "any", chart, ...setting([value])]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(says);
});

test("a chart that would run nothing is refused", () => {
  const nothing = setting(["advisor.enabled=false", "platform.enabled=false"]);
  const { code, stderr } = helm(["template", "any", chart, ...nothing]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("nothing would run: set advisor.enabled or platform.enabled to true");
});
