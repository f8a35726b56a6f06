// Refuses the NodeHealthChecks that the webhook of the Node Health Check Operator refuses. Source:
// internal/webhook/v1alpha1/nodehealthcheck_webhook.go of medik8s/node-healthcheck-operator at dd44432.

import { asList, asNumber, asText, at, equalJson, type Json, type KubeObject, member } from "@virt/objects";
import type { AdmissionRequest, WebhookOptions } from "./admission-webhook.ts";

export const nodeHealthCheckWebhook: WebhookOptions = {
  kind: "ValidatingWebhookConfiguration",
  name: "nodehealthchecks",
  group: "remediation.medik8s.io",
  plural: "nodehealthchecks",
  operations: ["CREATE", "UPDATE", "DELETE"],
  answer: (request) => {
    const message = faultOf(request);
    return message === undefined ? { allowed: true } : { allowed: false, status: { code: 403, message } };
  },
};

function faultOf({ operation, object, oldObject }: AdmissionRequest): string | undefined {
  const ongoing = "prohibited due to running remediation";
  if (operation === "DELETE") return isRemediating(oldObject) ? `deletion ${ongoing}` : undefined;
  const invalid = invalidity(object);
  if (invalid !== undefined || operation === "CREATE" || !isRemediating(object)) return invalid;
  const changed = [
    ["selector", "selector"],
    ["remediationTemplate", "remediation template"],
    ["escalatingRemediations", "escalating remediations"],
  ].find(([field = ""]) => !equalJson(specOf(object, field), specOf(oldObject, field)));
  return changed && `${changed[1]} update ${ongoing}`;
}

function invalidity(object: KubeObject | null | undefined): string | undefined {
  const has = (field: string) => specOf(object, field) !== null;
  const steps = asList(specOf(object, "escalatingRemediations"));
  const orders = steps.map((step) => asNumber(member(step, "order")));
  if (has("minHealthy") === has("maxUnhealthy")) return "one of minHealthy and maxUnhealthy should be specified";
  if (!has("selector")) return "Selector is mandatory";
  if (!has("remediationTemplate") && steps.length === 0)
    return "Either RemediationTemplate or at least one EscalatingRemediations must be set";
  if (has("remediationTemplate") && steps.length > 0)
    return "RemediationTemplate and EscalatingRemediations usage is mutual exclusive";
  if (new Set(orders).size < orders.length) return "EscalatingRemediation Order must be unique";
  const isShort = steps.some((step) => !/^[1-9][0-9]*m$/.test(asText(member(step, "timeout")) ?? ""));
  return isShort ? "EscalatingRemediation Timeout must be at least one minute" : undefined;
}

function isRemediating(object: KubeObject | null | undefined): boolean {
  return asList(at(object ?? undefined, "status", "unhealthyNodes")).some(
    (node) => asList(member(node, "remediations")).length > 0,
  );
}

function specOf(object: KubeObject | null | undefined, field: string): Json {
  return at(object ?? undefined, "spec", field) ?? null;
}
