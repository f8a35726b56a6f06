import { expect, test } from "vitest";
import { readAudited } from "./audited.ts";
import { historyOf } from "./history.ts";
import { endsByRetryable } from "./i7-retryable.ts";
import { phases } from "./phase-edges.ts";
import { account, item, Story } from "./story.ts";

const judge = (story: Story) =>
  endsByRetryable(historyOf(readAudited(story.log), { accounts: [account] })).map(({ message }) => message);

const failed = (message: string) =>
  new Story().begun().status({
    phase: "Failed",
    conditions: phases.map((type) => ({ type, status: type === "Failed" ? "True" : "False", message })),
  });
const withErrors = (message: string) =>
  new Story().begun().status({ phase: "CompletedWithErrors", items: [{ ...item, state: "Failed", message }] });

const final = [
  "Item 'enable-psi-metrics' failed: timeout after 30m1s",
  "Timeout waiting for resource to become healthy (waited 500s, timeout 429s): MachineConfigPool 'worker' is updating (Updated: 1/503, Ready: 1/503)",
  "Health check failed: MachineConfigPool 'worker' cannot render MachineConfig 'psi': 500 files",
  'Failed to apply: MachineConfig.machineconfiguration.openshift.io "psi" is invalid: spec.kernelArguments: Invalid value',
  'Failed to apply: machineconfigs is forbidden: User "x" cannot patch resource',
  "Failed to apply: failed to create typed patch object (/psi; v1): .spec.x: field not declared in schema",
];

test.each(final)("innocent: %s", (message) => {
  expect(judge(failed(message))).toEqual([]);
  expect(judge(withErrors(message))).toEqual([]);
});

const passing = [
  "Failed to apply: read ECONNRESET",
  "Failed to apply: socket hang up",
  "Failed to apply: Internal error occurred: failed calling webhook",
  "Failed to apply: the server is currently unable to handle the request",
  "Failed to generate plan items: the API server answered 503",
  "Failed to generate plan items: the server has received too many requests and has asked us to try again later",
  "Failed to apply: Timeout: request did not complete within the allotted timeout",
  "Failed to apply: etcdserver: leader changed",
  "Failed to apply: Unauthorized",
  "Failed to apply: Operation cannot be fulfilled: please apply your changes to the latest version and try again",
];

test.each(passing)("guilty: %s", (message) => {
  expect(judge(failed(message))).toEqual([expect.stringContaining(`Failed because of "${message}"`)]);
  expect(judge(withErrors(message))).toEqual([expect.stringContaining(`CompletedWithErrors because of "${message}"`)]);
});

test("innocent: the same words in a phase that goes on, or of an item that has not failed", () => {
  const [message = ""] = passing;
  expect(judge(new Story().begun().status({ phase: "InProgress", items: [{ ...item, message }] }))).toEqual([]);
  expect(judge(new Story().begun().status({ phase: "Failed", items: [{ ...item, message }] }))).toEqual([]);
});
