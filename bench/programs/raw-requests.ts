// Sends requests with node:https over keep-alive connections, as the baseline for every library.

import { Agent, request } from "node:https";
import type { Access } from "@virt/kube";

export type Raw = {
  readonly send: (method: "GET" | "PATCH", path: string, body?: string) => Promise<void>;
  readonly close: () => void;
};

export function tlsOf({ authority, certificate, key }: Access) {
  const data = (material: Access["key"]) => (material !== undefined && "data" in material ? material.data : undefined);
  return { ca: data(authority), cert: data(certificate), key: data(key) };
}

export function openRaw(access: Access, sockets = 1): Raw {
  const { server } = access;
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, ...tlsOf(access) });
  const send = (method: string, path: string, body = "") =>
    new Promise<void>((resolve, reject) => {
      const described = body === "" ? {} : { "content-type": "application/apply-patch+yaml" };
      const headers = { accept: "application/json", "content-length": Buffer.byteLength(body), ...described };
      const outgoing = request(new URL(path, server), { method, agent, headers }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          JSON.parse(Buffer.concat(chunks).toString());
          const { statusCode = 0 } = incoming;
          if (statusCode < 300) resolve();
          else reject(new Error(`${method} ${path} returned ${statusCode}`));
        });
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}
