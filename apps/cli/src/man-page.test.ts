import { expect, test } from "vitest";
import { writeManPage } from "./man-page.ts";
import { globalFlags, verbs } from "./verbs.ts";

const page = writeManPage("v1.2.3");
const lines = page.split("\n");

test("has a section for each verb and lists every flag", () => {
  for (const { name } of verbs) expect(page).toMatch(new RegExp(`^\\.SS ${name}( |$)`, "mu"));
  for (const flags of [globalFlags, ...verbs.map((verb) => verb.flags)])
    for (const flag of Object.keys(flags)) expect(page).toContain(`\\-\\-${flag.replaceAll("-", "\\-")}`);
});

test("uses only man(7) macros and escapes text that looks like one", () => {
  const macros = lines.filter((line) => /^[.']/u.test(line)).map((line) => line.split(" ")[0]);
  expect(new Set(macros)).toEqual(new Set([".TH", ".SH", ".SS", ".B", ".I", ".BR", ".TP", ".PP", ".br"]));
  expect(lines.filter((line) => line.endsWith(" \\"))).toEqual([]);
  expect(lines.filter((line, at) => line === "" && at < lines.length - 1)).toEqual([]);
});

test("has the standard sections in their usual order", () => {
  expect(lines.filter((line) => line.startsWith(".SH ")).map((line) => line.slice(4))).toEqual([
    "NAME",
    "SYNOPSIS",
    "DESCRIPTION",
    "VERBS",
    "GLOBAL FLAGS",
    "EXIT STATUS",
    "ENVIRONMENT",
    "SEE ALSO",
  ]);
});
