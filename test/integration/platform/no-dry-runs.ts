// An admission webhook that takes everything but dry runs.

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { issueAuthority, issueServer } from "@virt/kube";
import type { Server } from "@virt/testkit";
import { applied } from "../../world/account.ts";

export type NoDryRuns = { readonly [Symbol.asyncDispose]: () => Promise<void> };

type Review = { readonly request: { readonly uid: string; readonly dryRun?: boolean } };

/** For updates of one kind. */
export async function startNoDryRuns(
  server: Server,
  { group, plural }: { readonly group: string; readonly plural: string },
): Promise<NoDryRuns> {
  const valid = { from: new Date(0), until: new Date(4e12) };
  const authority = issueAuthority("webhook", valid);
  const { certificate, key } = issueServer(authority, ["127.0.0.1"], valid);
  const webhook = createServer({ cert: certificate, key }, (request, response) => {
    void text(request).then((body) => response.end(JSON.stringify(answerTo(JSON.parse(body) as Review))));
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  const { port } = webhook.address() as AddressInfo;
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "no-dry-runs" },
    webhooks: [
      {
        name: "no-dry-runs.example.com",
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(authority.certificate).toString("base64"),
        },
        rules: [{ apiGroups: [group], apiVersions: ["*"], operations: ["UPDATE"], resources: [plural] }],
        sideEffects: "NoneOnDryRun",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
      },
    ],
  };
  await applied(server, JSON.stringify(configuration));
  return {
    [Symbol.asyncDispose]: async () => {
      await server.kubectl("delete", "validatingwebhookconfiguration", "no-dry-runs");
      webhook.closeAllConnections();
      await new Promise((resolve) => webhook.close(resolve));
    },
  };
}

function answerTo({ request: { uid, dryRun } }: Review) {
  const refusal = { allowed: false, status: { code: 400, message: "it cannot be asked by a dry run" } };
  const response = { uid, ...(dryRun === true ? refusal : { allowed: true }) };
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
}
