import { expect, test } from "vitest";
import { type ProbeCheck, probe } from "./serving.ts";

const well: ProbeCheck = () => undefined;
const ill: ProbeCheck = () => "no list of nodes\nfor 11 min";
const broken: ProbeCheck = () => {
  throw new Error("a bug");
};

test.each([
  {
    reason: "passes if all checks pass",
    checks: { loop: well, sync: well },
    verbose: false,
    status: 200,
    body: "ok\n",
  },
  { reason: "passes without checks", checks: {}, verbose: false, status: 200, body: "ok\n" },
  {
    reason: "lists all checks if verbose",
    checks: { loop: well, sync: well },
    verbose: true,
    status: 200,
    body: "[+]loop ok\n[+]sync ok\nok\n",
  },
  {
    reason: "lists failed checks in one line each",
    checks: { loop: well, sync: ill, x: broken },
    verbose: false,
    status: 500,
    body: "[-]sync failed: no list of nodes for 11 min\n[-]x failed: a bug\n",
  },
  {
    reason: "lists passed and failed checks if verbose",
    checks: { loop: well, sync: ill },
    verbose: true,
    status: 500,
    body: "[+]loop ok\n[-]sync failed: no list of nodes for 11 min\n",
  },
])("$reason", ({ checks, verbose, status, body }) => {
  expect(probe(checks, verbose)).toEqual({ status, body });
});
