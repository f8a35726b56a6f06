// Starts a scripted server and a client for it. Both are closed at the end of the test.

import { type ScriptedReply, type ScriptedServer, startScriptedServer } from "@virt/testkit";
import { onTestFinished } from "vitest";
import type { Access } from "../auth/access.ts";
import { Client, type ClientOptions } from "../client/client.ts";

type ScriptedClientOptions = Partial<Omit<ClientOptions, "access">> & { readonly access?: Partial<Access> };

export function clientOf({ url }: ScriptedServer, { access, ...options }: ScriptedClientOptions = {}): Client {
  const reach = { server: url, isInsecure: false, source: "test", ...access };
  const client = new Client({ access: reach, userAgent: "test/1", ...options });
  onTestFinished(() => client.close());
  return client;
}

export async function startScripted(script: readonly ScriptedReply[]) {
  const server = await startScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, client: clientOf(server) };
}
