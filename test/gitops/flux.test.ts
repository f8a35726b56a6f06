// Flux's health expressions on configs in every phase, evaluated by the CEL of a real API server.
// @module-tag thorough

import { readFileSync } from "node:fs";
import { configKind, type VirtPlatformConfig } from "@virt/api";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configIn, type Situation, situations } from "./situations.ts";

type Expressions = { readonly apiVersion: string; readonly kind: string } & Readonly<Record<Outcome, string>>;
type Outcome = (typeof order)[number];

const order = ["inProgress", "failed", "current"] as const;
const file = readFileSync(inRepository("config", "gitops", "flux-health-check-exprs.yaml"), "utf8");
const [checks, ...others] = (load(file) as { readonly healthCheckExprs: readonly Expressions[] }).healthCheckExprs;
const path = `/apis/${configKind.apiVersion}/${configKind.plural}`;
const admission = "admissionregistration.k8s.io/v1";
let server: Server;

beforeAll(async () => {
  server = await startServer();
  const crd = inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml");
  await server.installCrds([crd]);
  await post(`/apis/${admission}/validatingadmissionpolicies`, policy());
  await post(`/apis/${admission}/validatingadmissionpolicybindings`, {
    apiVersion: admission,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "flux" },
    spec: { policyName: "flux", validationActions: ["Warn"] },
  });
  const { apiVersion, kind } = configKind;
  const name = "load-aware-rebalancing";
  await post(path, { apiVersion, kind, metadata: { name }, spec: { profile: name } });
});
afterAll(() => server.stop());

test("the expressions apply only to VirtPlatformConfig", () => {
  expect(checks).toMatchObject({ apiVersion: configKind.apiVersion, kind: configKind.kind });
  expect(others).toEqual([]);
});

test.each(situations)("$phase, $reason: $flux", async (situation) => {
  await expect.poll(() => outcome(configIn(situation))).toBe(situation.flux);
});

async function post(to: string, body: object): Promise<void> {
  const { status, body: answer } = await server.request({ method: "POST", path: to, body });
  if (status !== 201) throw new Error(JSON.stringify(answer));
}

/** Returns Flux's result, or `waiting` if no expression holds. Undefined until the policy is in force. */
async function outcome({ metadata: { name }, status }: VirtPlatformConfig): Promise<Situation["flux"] | undefined> {
  const patch = JSON.stringify({ status });
  const patched = await server.kubectl("patch", "vpconf", name, "--subresource=status", "--type=merge", "-p", patch);
  if (patched.code !== 0) throw new Error(patched.stderr);
  const isInForce = patched.stderr.includes("flux: evaluated");
  if (!isInForce) return undefined;
  return order.find((one) => patched.stderr.includes(`flux: ${one}`)) ?? "waiting";
}

/** Warns for each expression that holds. The last one always holds. */
function policy(): object {
  if (checks === undefined) throw new Error("there are no expressions");
  const rule = {
    apiGroups: [configKind.group],
    apiVersions: [configKind.version],
    operations: ["UPDATE"],
    resources: [`${configKind.plural}/status`],
  };
  const holds = order.map((one) => ({ expression: `!(${withStatus(checks[one])})`, message: `flux: ${one}` }));
  return {
    apiVersion: admission,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "flux" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules: [rule] },
      validations: [...holds, { expression: "false", message: "flux: evaluated" }],
    },
  };
}

/** Flux refers to the parts of an object by name. */
function withStatus(expression: string): string {
  return `[object.status].exists(status, ${expression})`;
}
