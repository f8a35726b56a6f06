import { type Client, createObject, noLease, type Resource } from "@virt/kube";
import { asText, at } from "@virt/objects";

const reviews: Resource = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "selfsubjectreviews",
  isNamespaced: false,
};
const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };

/** Returns null if the API server is older than 1.28 or does not respond. */
export async function readUserName(client: Client, signal: AbortSignal): Promise<string | null> {
  const answer = await client.under(noLease).write(createObject(reviews, {}, review), { signal });
  if (answer.kind === "failed" || answer.status >= 300) return null;
  return asText(at(answer.body, "status", "userInfo", "username")) ?? null;
}
