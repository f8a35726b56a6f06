// Asks the API server who somebody is, and what they may do.

import type { Json } from "@virt/engine";
import { asText, at, isMap } from "@virt/engine";
import type { Sender } from "../wire/client.ts";
import { writingOf } from "../wire/outcome.ts";
import { createObject, type Resource } from "../wire/request.ts";

/** As the API server describes a user: name, uid, groups, extra. */
export type User = { readonly name: string; readonly described: Json };

export type Unavailable = { readonly kind: "unavailable"; readonly message: string };

const tokenReviews: Resource = review("authentication.k8s.io", "tokenreviews");
const accessReviews: Resource = review("authorization.k8s.io", "subjectaccessreviews");

function review(group: string, plural: string): Resource {
  return { group, version: "v1", plural, isNamespaced: false };
}

type Asking = { readonly sender: Pick<Sender, "send">; readonly signal: AbortSignal };

export async function whoHolds(
  token: string,
  asking: Asking,
): Promise<{ readonly kind: "user"; readonly user: User } | { readonly kind: "nobody" } | Unavailable> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
  const status = await ask(tokenReviews, body, asking);
  if ("kind" in status) return status;
  const user = at(status.told, "user");
  const name = asText(at(user, "username"));
  const isKnown = at(status.told, "authenticated") === true && name !== undefined && user !== undefined;
  return isKnown ? { kind: "user", user: { name, described: user } } : { kind: "nobody" };
}

/** Whether the user may `get` a path that is no object of the cluster. */
export async function mayGet(
  user: User,
  path: string,
  asking: Asking,
): Promise<{ readonly kind: "judged"; readonly isAllowed: boolean } | Unavailable> {
  const { uid, groups, extra } = (isMap(user.described) ? user.described : {}) as Record<string, Json | undefined>;
  const spec = { user: user.name, uid, groups, extra, nonResourceAttributes: { path, verb: "get" } };
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  const status = await ask(accessReviews, body, asking);
  if ("kind" in status) return status;
  return { kind: "judged", isAllowed: at(status.told, "allowed") === true };
}

async function ask(
  resource: Resource,
  body: Json,
  { sender, signal }: Asking,
): Promise<{ readonly told: Json | undefined } | Unavailable> {
  const answer = writingOf(await sender.send(createObject(resource, {}, body), { signal }));
  if (answer.kind === "done") return { told: at(answer.live, "status") };
  const why = "message" in answer ? answer.message : answer.kind;
  return { kind: "unavailable", message: `cannot create ${resource.plural}: ${why}` };
}
