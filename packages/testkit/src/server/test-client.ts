// A client for tests, independent of the client under test.

import { writeFileSync } from "node:fs";
import { Agent, request as sendHttps } from "node:https";

export type ClientIdentity = { readonly certificate: string; readonly key: string } | { readonly token: string };

/** `path` includes the query. `contentType` defaults to a merge patch for PATCH. */
export type ApiRequest = {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
};

/** `body` is the parsed JSON, or text for other content. */
export type ApiResponse = { readonly status: number; readonly body: unknown };

export type TestClient = {
  readonly request: (request: ApiRequest) => Promise<ApiResponse>;
  readonly close: () => void;
};

export function openTestClient(url: string, authority: string, identity: ClientIdentity): TestClient {
  const client = "token" in identity ? {} : { cert: identity.certificate, key: identity.key };
  const agent = new Agent({ keepAlive: true, maxSockets: 8, ca: authority, ...client });
  const authorization = "token" in identity ? { authorization: `Bearer ${identity.token}` } : {};
  return {
    request: (request) =>
      sendRequest(new URL(request.path, url), agent, { ...authorization, ...contentHeaders(request) }, request),
    close: () => agent.destroy(),
  };
}

function contentHeaders({ method, contentType, body }: ApiRequest): Record<string, string> {
  if (body === undefined) return {};
  const usual = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return { "content-type": contentType ?? usual };
}

function sendRequest(url: URL, agent: Agent, headers: Record<string, string>, { method = "GET", body }: ApiRequest) {
  return new Promise<ApiResponse>((resolve, reject) => {
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    // Without a length, Node sends DELETE bodies in chunks, which the API server ignores.
    const sized = { accept: "application/json", ...headers, "content-length": `${bytes.length}` };
    const outgoing = sendHttps(url, { method, agent, headers: sized }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, body: parseBody(Buffer.concat(chunks).toString()) }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(bytes);
  });
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // some responses are plain text
  }
}

type KubeconfigAccess = {
  readonly url: string;
  readonly authority: string;
  readonly user: string;
  readonly identity: ClientIdentity;
};

export function writeKubeconfig(file: string, { url, authority, user, identity }: KubeconfigAccess): string {
  const context = { name: "default", context: { cluster: "controlplane", user } };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": context.name,
    clusters: [{ name: "controlplane", cluster: { server: url, "certificate-authority-data": base64(authority) } }],
    users: [{ name: user, user: credentials(identity) }],
    contexts: [context],
  };
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return file;
}

function credentials(identity: ClientIdentity): Readonly<Record<string, string>> {
  if ("token" in identity) return { token: identity.token };
  return { "client-certificate-data": base64(identity.certificate), "client-key-data": base64(identity.key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Creates the namespace and the account if missing. The token is bound to the account. */
export async function requestServiceAccountToken(
  client: Pick<TestClient, "request">,
  namespace: string,
  name: string,
): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await ensureObject(client, "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  await ensureObject(client, accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
  const spec = { expirationSeconds: 3600 };
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  const answer = await client.request({ method: "POST", path: `${accounts}/${name}/token`, body });
  const { status } = expectCreated(answer).body as { status: { token: string } };
  return status.token;
}

async function ensureObject(client: Pick<TestClient, "request">, path: string, body: unknown): Promise<void> {
  const answer = await client.request({ method: "POST", path, body });
  const isThere = answer.status === 409;
  if (!isThere) expectCreated(answer);
}

function expectCreated(answer: ApiResponse): ApiResponse {
  if (answer.status !== 201)
    throw new Error(`the API server returned ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}
