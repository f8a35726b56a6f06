// A cluster with every kind that the platform controller can manage.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { inRepository, type KubectlResult } from "@virt/testkit";
import { startTestCluster, type TestCluster } from "./test-cluster.ts";

export const optionalCrds = [
  "nodehealthchecks",
  "selfnoderemediationtemplates",
  "selfnoderemediations",
  "forkliftcontrollers",
  "metallbs",
  "uiplugins",
  "persesdashboards",
  "servicemonitors",
  "prometheusrules",
  "infrastructures",
  "schedulers",
  "networks",
];

export function startPlatformCluster(): Promise<TestCluster> {
  const crds = Object.fromEntries(optionalCrds.map((name) => [name, name]));
  return startTestCluster({ controller: "platform", crds });
}

export const hcoPath = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";

export function startCommand(...args: readonly string[]) {
  return spawn(process.execPath, [inRepository("dist", "virt-operator.mjs"), ...args], { env: {} });
}

export async function runCommand(...args: readonly string[]): Promise<KubectlResult> {
  const child = startCommand(...args);
  const ended = new Promise<number>((resolve) => void child.once("close", (code) => resolve(code ?? -1)));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
