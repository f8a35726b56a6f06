// Real ServiceAccounts with real, short-lived tokens.

import type { Answer, Wire } from "./wire.ts";

/** Makes namespace and account where they are missing; the token is bound to the account, as a pod's would be. */
export async function serviceAccountToken(
  wire: Pick<Wire, "request">,
  namespace: string,
  name: string,
): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await ensure(wire, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await ensure(wire, accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
  const spec = { expirationSeconds: 3600 };
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  const answer = await wire.request({ method: "POST", path: `${accounts}/${name}/token`, body });
  const { status } = expectCreated(answer).body as { status: { token: string } };
  return status.token;
}

async function ensure(wire: Pick<Wire, "request">, path: string, body: unknown): Promise<void> {
  const answer = await wire.request({ method: "POST", path, body });
  const isThere = answer.status === 409; // somebody made it before us
  if (!isThere) expectCreated(answer);
}

function expectCreated(answer: Answer): Answer {
  if (answer.status !== 201)
    throw new Error(`the API server answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}
