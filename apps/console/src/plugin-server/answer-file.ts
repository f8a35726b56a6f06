// Serves the plugin's files. The build embeds the files, so the server reads nothing from disk.

import type { IncomingMessage } from "node:http";
import type { RouteReply } from "@virt/kube";
import { type ConsolePages, plainContent } from "../server/index.ts";

/** Keeps browsers from rendering a file as a page, embedding it in a frame, or guessing its type. */
const securityHeaders = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

/** Files with a hash in their name never change. */
const hashedName = /\.[0-9a-f]{20}\.(min\.js|js|css)$/;

export type FileRequest = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Serves a file, or `/readyz` for the kubelet. The path must match exactly. The query is ignored. */
export function answerFile({ method = "", url = "", headers }: FileRequest, files: ConsolePages): RouteReply {
  if (method !== "GET" && method !== "HEAD")
    return { status: 405, body: "Method not allowed\n", headers: { ...securityHeaders, allow: "GET, HEAD" } };
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined)
    return { status: 413, body: "Request body not allowed\n", headers: securityHeaders };
  const [path = ""] = url.split("?");
  if (path === "/readyz") return { status: 200, body: "ok\n", headers: securityHeaders };
  const file = files.get(path);
  if (file === undefined) return { status: 404, body: "Not found\n", headers: securityHeaders };
  const takesGzip = /\bgzip\b/.test(headers["accept-encoding"] ?? "");
  return {
    status: 200,
    body: takesGzip ? file.gzipped : plainContent(file),
    type: file.type,
    headers: {
      ...securityHeaders,
      "cache-control": hashedName.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(takesGzip && { "content-encoding": "gzip" }),
    },
  };
}
