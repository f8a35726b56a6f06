// Sends requests to an API server as the tests' own witness, apart from the client that is under test.

import { Agent, request as send } from "node:https";

export type Identity = { readonly certificate: string; readonly key: string } | { readonly token: string };

export type Request = {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
};

/** `body` is the parsed JSON, or the text where the answer is something else. */
export type Answer = { readonly status: number; readonly body: unknown };

export type Wire = {
  readonly request: (request: Request) => Promise<Answer>;
  readonly close: () => void;
};

export function openWire(url: string, authority: string, identity: Identity): Wire {
  const client = "token" in identity ? {} : { cert: identity.certificate, key: identity.key };
  const agent = new Agent({ keepAlive: true, maxSockets: 8, ca: authority, ...client });
  const authorization = "token" in identity ? { authorization: `Bearer ${identity.token}` } : {};
  return {
    request: (request) =>
      exchange(new URL(request.path, url), agent, { ...authorization, ...describe(request) }, request),
    close: () => agent.destroy(),
  };
}

function describe({ method, contentType, body }: Request): Record<string, string> {
  if (body === undefined) return {};
  const usual = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return { "content-type": contentType ?? usual };
}

function exchange(url: URL, agent: Agent, headers: Record<string, string>, { method = "GET", body }: Request) {
  return new Promise<Answer>((resolve, reject) => {
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    // Without a length Node sends DELETE bodies in chunks, which the API server does not read.
    const sized = { accept: "application/json", ...headers, "content-length": `${bytes.length}` };
    const outgoing = send(url, { method, agent, headers: sized }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(bytes);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // some answers are plain text, such as 404 of an unknown path
  }
}
