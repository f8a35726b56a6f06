import { expect, test } from "vitest";
import { type Check, probe } from "./probes.ts";

const well: Check = () => undefined;
const ill: Check = () => "no list of nodes\nfor 11 min";
const broken: Check = () => {
  throw new Error("a bug");
};

test.each([
  { reason: "all is well", checks: { loop: well, sync: well }, verbose: false, status: 200, body: "ok\n" },
  { reason: "nothing is checked", checks: {}, verbose: false, status: 200, body: "ok\n" },
  {
    reason: "all is told",
    checks: { loop: well, sync: well },
    verbose: true,
    status: 200,
    body: "[+]loop ok\n[+]sync ok\nok\n",
  },
  {
    reason: "what fails is named, in one line each",
    checks: { loop: well, sync: ill, x: broken },
    verbose: false,
    status: 500,
    body: "[-]sync failed: no list of nodes for 11 min\n[-]x failed: a bug\n",
  },
  {
    reason: "both are told",
    checks: { loop: well, sync: ill },
    verbose: true,
    status: 500,
    body: "[+]loop ok\n[-]sync failed: no list of nodes for 11 min\n",
  },
])("$reason", ({ checks, verbose, status, body }) => {
  expect(probe(checks, verbose)).toEqual({ status, body });
});
