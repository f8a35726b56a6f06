// @module-tag thorough

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AuditEvent, startServer } from "@virt/testkit";
import { expect, test } from "vitest";
import { unlimitedAccount } from "./operator/account.ts";
import { startOperator } from "./operator/process.ts";

const namespace = "virt-platform-operator-system";
const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
const isRefused = ({ userAgent = "", responseStatus }: AuditEvent) =>
  userAgent.startsWith("virt-operator/") && responseStatus?.code === 401;

test("reports a rejected token, backs off, and uses a new token at once", {
  timeout: 300_000,
}, async () => {
  await using api = await startServer();
  const { kubeconfig, token } = await unlimitedAccount(api, namespace);
  const tokenFile = join(api.folder, "token");
  const ownKubeconfig = join(api.folder, "with-token-file.kubeconfig");
  writeFileSync(tokenFile, token);
  const text = readFileSync(kubeconfig, "utf8");
  expect(text).toContain(token);
  writeFileSync(ownKubeconfig, text.replace(/"?token"?: *"?[\w.-]+"?/, `"tokenFile": ${JSON.stringify(tokenFile)}`));
  const operator = await startOperator(
    `--kubeconfig=${ownKubeconfig}`,
    "--leader-elect",
    "--controllers=advisor,platform",
  );
  await expect.poll(() => operator.probe("/readyz"), { timeout: 120_000 }).toBe(200);

  await api.request({ method: "DELETE", path: `${accounts}/virt-operator` });
  const refusal = "the API server has been rejecting the operator's credentials for";
  await expect.poll(() => operator.probed("/readyz"), { timeout: 90_000 }).toContain(refusal);
  expect(await operator.probe("/readyz")).toBe(500);
  expect(await operator.probe("/healthz")).toBe(200);
  expect(api.audit().filter(isRefused).length).toBeLessThan(40);

  writeFileSync(tokenFile, (await unlimitedAccount(api, namespace)).token);
  await expect.poll(() => operator.probe("/readyz"), { timeout: 120_000 }).toBe(200);
  expect(operator.child.exitCode).toBeNull();
});
