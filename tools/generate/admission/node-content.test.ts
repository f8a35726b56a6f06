import { writeDataUrl } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { celValue } from "./cel.ts";
import { sourcePattern } from "./node-content.ts";
import { pinnedByAssets, pinnedByProfiles } from "./pinned-objects.ts";

const text = { begin: "options vfio-pci ids=", alphabet: "0123456789abcdef:,", end: "\n" };
const pattern = new RegExp(`^(${sourcePattern(text)})$`);

test("the pattern matches every text of the alphabet", () => {
  const ids = fc.string({ unit: fc.constantFrom(...text.alphabet.split("")), maxLength: 60 });
  fc.assert(
    fc.property(ids, (given) => pattern.test(writeDataUrl(`${text.begin}${given}${text.end}`))),
    runsForCost(10),
  );
});

test("the pattern rejects an additional line or space", () => {
  const hostile = fc.constantFrom("\n", " ", "\t", "\r");
  const ids = fc.string({ unit: fc.constantFrom(...text.alphabet.split("")), maxLength: 30 });
  fc.assert(
    fc.property(ids, hostile, ids, (left, sign, right) => {
      return !pattern.test(writeDataUrl(`${text.begin}${left}${sign}${right}${text.end}`));
    }),
    runsForCost(10),
  );
  expect(pattern.test(writeDataUrl(`install ${text.begin}${text.end}`))).toBe(false);
});

test("a MachineConfig without declared content stops the generator", () => {
  const target = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "50-new" };
  expect(() => pinnedByAssets([{ target }])).toThrow("MachineConfig 50-new is a target without content");
  const targets = [{ group: "", kind: "MachineConfig", plural: "machineconfigs", names: ["90-new"] }];
  expect(() => pinnedByProfiles([{ name: "new", targets }])).toThrow(
    "MachineConfig 90-new is a target without content",
  );
});

test("JSON becomes CEL with aggregates of one type", () => {
  expect(celValue({ a: [1, "b'\n"], c: true })).toBe(`{'a': dyn([dyn(1), dyn("b'\\n")]), 'c': dyn(true)}`);
});
