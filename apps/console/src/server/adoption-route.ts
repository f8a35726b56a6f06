// The requests for an adoption: its preview, and its run with one JSON line per step.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "@virt/kube";
import { asText, type Json, member, readJson } from "@virt/objects";
import { type AdoptionProgress, type AdoptionQuery, type AdoptionView, readAdoptionQuery } from "@virt/views";

/** Previews and runs an adoption with the user's permissions. Rejects with a message for the user. */
export type AdoptionServer = {
  readonly preview: (query: AdoptionQuery, client: Client, signal: AbortSignal) => Promise<AdoptionView>;
  /** Runs only the adoption with this digest. */
  readonly run: (query: AdoptionQuery & { readonly digest: string }, run: AdoptionRun) => Promise<AdoptionProgress>;
};

export type AdoptionRun = {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
};

const previewPath = "/adoption/preview";
const runPath = "/adoption/run";

export function isAdoptionPath(url: string): boolean {
  return url === previewPath || url === runPath;
}

type AdoptionCall = {
  readonly request: IncomingMessage;
  /** Undefined if it is too large. */
  readonly body: string | undefined;
  readonly client: Client;
  readonly signal: AbortSignal;
};

/** Accepts only POST with a JSON body. If the browser closes the connection, the run stops between two steps. */
export async function answerAdoption(
  server: AdoptionServer,
  { request, body, client, signal }: AdoptionCall,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "POST") return refuse(response, 405, "this path allows only POST");
  const value = readBody(body);
  const query = readAdoptionQuery(value);
  if (query === undefined) return refuse(response, 400, "the body is not a request for an adoption");
  if (request.url === previewPath) return answerPreview(() => server.preview(query, client, signal), response);
  const digest = asText(member(value, "digest")) ?? "";
  if (!/^[0-9a-f]{12}$/.test(digest)) return refuse(response, 400, "the body names no preview");
  response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
  const send = (line: AdoptionProgress) => void response.write(`${JSON.stringify(line)}\n`);
  const onProgress = (text: string) => send({ kind: "progress", text });
  try {
    send(await server.run({ ...query, digest }, { client, signal, onProgress }));
  } catch (error) {
    send({ kind: "failed", message: messageOf(error) });
  }
  response.end();
}

async function answerPreview(preview: () => Promise<AdoptionView>, response: ServerResponse): Promise<void> {
  try {
    const view = await preview();
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(view));
  } catch (error) {
    refuse(response, 502, messageOf(error));
  }
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(`${why}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function readBody(body: string | undefined): Json | undefined {
  try {
    return body === undefined ? undefined : readJson(body);
  } catch {
    return undefined;
  }
}
