import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonMap, KubeObject } from "@virt/api";
import { issueAuthority, issueServer } from "@virt/kube";
import type { Server } from "@virt/testkit";
import { applyManifests } from "./account.ts";

export type AdmissionWebhook = {
  readonly remove: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type AdmissionRequest = {
  readonly dryRun?: boolean;
  readonly operation?: string;
  readonly object?: KubeObject | null;
  readonly oldObject?: KubeObject | null;
};

export type WebhookOptions = {
  readonly kind: "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration";
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  /** Default: UPDATE. */
  readonly operations?: readonly string[];
  /** Returns the response without the request's UID. */
  readonly answer: (request: AdmissionRequest) => JsonMap | Promise<JsonMap>;
};

type Review = { readonly request: AdmissionRequest & { readonly uid: string } };

export async function startWebhook(server: Server, options: WebhookOptions): Promise<AdmissionWebhook> {
  const { kind, name, group, plural, operations = ["UPDATE"], answer } = options;
  const valid = { from: new Date(0), until: new Date(4e12) };
  const authority = issueAuthority("webhook", valid);
  const { certificate, key } = issueServer(authority, ["127.0.0.1"], valid);
  const webhook = createServer({ cert: certificate, key }, (request, response) => {
    const reviewed = async () => {
      const { request: asked } = JSON.parse(await text(request)) as Review;
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
      response.end(JSON.stringify({ ...review, response: { uid: asked.uid, ...(await answer(asked)) } }));
    };
    void reviewed();
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  const { port } = webhook.address() as AddressInfo;
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(authority.certificate).toString("base64"),
        },
        rules: [{ apiGroups: [group], apiVersions: ["*"], operations, resources: [plural] }],
        sideEffects: "NoneOnDryRun",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
        timeoutSeconds: 30,
      },
    ],
  };
  await applyManifests(server, JSON.stringify(configuration));
  const remove = async () => void (await server.kubectl("delete", kind.toLowerCase(), name, "--ignore-not-found"));
  return {
    remove,
    [Symbol.asyncDispose]: async () => {
      await remove();
      webhook.closeAllConnections();
      await new Promise((resolve) => webhook.close(resolve));
    },
  };
}

/** Answers dry runs with this status and allows everything else. */
export function dryRunRefusingWebhook(
  { group, plural }: Pick<WebhookOptions, "group" | "plural">,
  { name, ...status }: { readonly name: string; readonly code: number; readonly message: string },
): WebhookOptions {
  const refusal = { allowed: false, status };
  return {
    kind: "ValidatingWebhookConfiguration",
    name,
    group,
    plural,
    answer: ({ dryRun }) => (dryRun === true ? refusal : { allowed: true }),
  };
}

export function fieldSettingWebhook(group: string, plural: string, path: string, value: string): WebhookOptions {
  const patch = Buffer.from(JSON.stringify([{ op: "replace", path, value }])).toString("base64");
  return {
    kind: "MutatingWebhookConfiguration",
    name: "setting",
    group,
    plural,
    answer: () => ({ allowed: true, patchType: "JSONPatch", patch }),
  };
}
