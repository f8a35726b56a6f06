import type { AuditEvent } from "@virt/testkit";
import { expect, test } from "vitest";
import { account } from "./campaign-cluster.ts";
import { findViolations } from "./find-violations.ts";

const config = {
  apiGroup: "machineconfiguration.openshift.io",
  resource: "machineconfigs",
  name: "99-worker-psi-karg",
};
const descheduler = {
  apiGroup: "operator.openshift.io",
  resource: "kubedeschedulers",
  namespace: "openshift-kube-descheduler-operator",
  name: "cluster",
};

function applied(objectRef: NonNullable<AuditEvent["objectRef"]>): AuditEvent {
  return {
    stage: "ResponseComplete",
    verb: "patch",
    requestURI: "/somewhere?fieldManager=virt-advisor-operator",
    requestReceivedTimestamp: "2026-01-01T00:00:00.000000Z",
    user: { username: account },
    objectRef,
    responseStatus: { code: 200 },
    requestObject: { apiVersion: "v1", kind: "Any" },
  };
}

const violationsOf = (audit: readonly AuditEvent[]) => findViolations({ audit, state: {}, operators: [] }, {});
const aboutWrites = (audit: readonly AuditEvent[]) => violationsOf(audit).filter((wrong) => wrong.startsWith("wrote "));

test("accepts only runs that apply each item once", () => {
  expect(aboutWrites([applied(config), applied(descheduler)])).toEqual([]);
  expect(aboutWrites([applied(config)])).toHaveLength(1);
  expect(aboutWrites([applied(config), applied(config), applied(descheduler)])).toHaveLength(1);
  const stray = { resource: "configmaps", namespace: "default", name: "stray" };
  expect(aboutWrites([applied(config), applied(descheduler), applied(stray)])).toHaveLength(1);
});

test("reports a write without a recorded approval", () => {
  expect(violationsOf([applied(config), applied(descheduler)])).toContainEqual(expect.stringMatching(/^I1: /));
});

test("reports an end state that differs from a run without faults", () => {
  const ended = { audit: [applied(config), applied(descheduler)], state: { phase: "Failed" }, operators: [] };
  expect(findViolations(ended, { phase: "Completed" })).toContain('phase is "Failed", not "Completed"');
});

test("reports a write that our admission policy denied", () => {
  const message = "ValidatingAdmissionPolicy 'virt-advisor-operator-writes' with binding 'b' denied request: no";
  const denied = { ...applied(config), responseStatus: { code: 403, message } };
  expect(violationsOf([denied])).toContain(`an admission policy denied patch ${denied.requestURI}: ${message}`);
});
