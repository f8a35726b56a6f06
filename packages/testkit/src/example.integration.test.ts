// A minimal test: a real API server, an injected fault, and the audit log afterwards.

import { expect, test } from "vitest";
import { checkInvariants, startFaultProxy, startServer } from "./index.ts";

test("a test starts a control plane, breaks a request and finds an unplanned write", async () => {
  await using server = await startServer();
  const account = await server.serviceAccount("default", "manager");
  await using proxy = await startFaultProxy({ server });
  const hasFired = proxy.arm({
    name: "the API server is overloaded once",
    trigger: { on: "request", number: 1, matching: { resource: "configmaps" } },
    fault: { kind: "answer", status: 503 },
  });

  const kubeconfig = proxy.kubeconfigFor("manager", account);
  const refused = await server.kubectl(`--kubeconfig=${kubeconfig}`, "get", "configmaps");
  expect(refused.stderr).toContain("currently unable to handle the request");
  expect(hasFired()).toBe(true);

  const operator = server.user("operator", ["system:masters"]);
  expect(await operator.kubectl("create", "configmap", "one")).toMatchObject({ code: 0 });
  const { violations, writes } = checkInvariants(server.audit(), { accounts: ["operator"] });
  expect(writes).toEqual({ "configmaps/default/one": { creates: 1, applies: 0, updates: 0, deletes: 0 } });
  expect(violations).toMatchObject([
    { invariant: "I1", message: "create configmaps/default/one: no plan names this object" },
  ]);
});
