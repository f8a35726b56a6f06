import { expect, test } from "vitest";
import { type Report, reportObject, reportText } from "./report.ts";
import type { ObjectRow } from "./rows.ts";

const row = (object: string, rest: Partial<ObjectRow> = {}): ObjectRow => ({
  object,
  status: "InSync",
  assets: ["a"],
  managedBy: "virt-platform-operator",
  owned: [],
  released: [],
  contested: [],
  fights: {},
  ...rest,
});
const report: Report = {
  version: 1,
  activation: { mode: "opt-in", isActive: true },
  hco: { apiVersion: "hco.kubevirt.io/v1", namespace: "openshift-cnv" },
  features: [],
  objects: [
    row("Thing one"),
    row("Thing ns/two", { status: "Failed", lastError: "the server\nsaid no" }),
    row("Thing three", { status: "Excluded" }),
  ],
  exclusions: [{ asset: "b", group: "b", target: "Thing three", reason: "SwitchedOff", details: "expected on" }],
};

test("formats the report as tables", () => {
  expect(
    reportText(report),
  ).toBe(`Platform controller: active (--activation=opt-in), HyperConverged in namespace openshift-cnv (hco.kubevirt.io/v1)

Objects:
OBJECT         STATE     ASSETS   ERROR OR CONTESTED FIELDS
Thing one      In sync   a        -
Thing ns/two   Failed    a        the server said no

Assets that are not applied:
ASSET   STATE       REASON        DETAILS
b       Unmanaged   SwitchedOff   expected on
`);
});

test("shows pending hardware changes", () => {
  const change = { name: "gpuPresent", counted: false, seen: true, countsAt: "2026-11-18T21:10:00Z" } as const;
  const text = reportText({ ...report, hardwareChanges: [change] });
  expect(text).toContain(`
Hardware changes that have not taken effect yet:
HARDWARE     CURRENT   DETECTED   TAKES EFFECT
gpuPresent   false     true       2026-11-18T21:10:00Z
`);
});

test("an idle controller has no tables", () => {
  const idle = { ...report, activation: { mode: "opt-in", isActive: false }, hco: null, objects: [], exclusions: [] };
  expect(reportText(idle)).toBe("Platform controller: idle (--activation=opt-in), no HyperConverged\n");
});

test("the text stays short for any number of objects and messages", () => {
  const objects = Array.from({ length: 5000 }, (_, at) => row(`Thing ${at}`, { lastError: "x".repeat(5000) }));
  const text = reportText({ ...report, objects });
  expect(text.length).toBeLessThan(100_000);
  expect(text).toContain("… 4701 more in report.json");
  expect(Object.keys(reportObject("ns", report)["data"] as object)).toEqual(["report.json", "report.txt"]);
});
