// Preloaded into the traced operator. Counts function calls, from the start on request to the first write of a path.

import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { Session } from "node:inspector";
import { pathToFileURL } from "node:url";
import { type EnteredFile, enteredFiles } from "./entered-files.ts";

export type TraceRequest = { readonly untilWrite: string } | "wait until quiet" | "stop";
export type TraceReply = "started" | "quiet" | { readonly entered: readonly EnteredFile[] };

/** The operator is quiet if it has sent no request for this long. */
const quietMs = 4_000;

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

let awaited: string | undefined;
let lastRequestMs = Date.now();

subscribe("http.client.request.start", (message) => {
  const { method, path } = (message as { readonly request: ClientRequest }).request;
  if (method === "GET") return noteRequest(path);
  lastRequestMs = Date.now();
  if (awaited === undefined || !path.startsWith(awaited) || path.includes("dryRun=All")) return;
  awaited = undefined;
  reply({ entered: takeEntered() });
});

process.on("message", (request: TraceRequest) => {
  if (request === "stop") reply({ entered: takeEntered() });
  else if (request === "wait until quiet") replyWhenQuiet();
  else {
    awaited = request.untilWrite;
    takeEntered();
    reply("started");
  }
});

function noteRequest(path: string): void {
  if (!path.includes("watch=")) lastRequestMs = Date.now();
}

function replyWhenQuiet(): void {
  const leftMs = lastRequestMs + quietMs - Date.now();
  if (leftMs <= 0) reply("quiet");
  else setTimeout(replyWhenQuiet, leftMs);
}

/** Returns the calls since it was called last. In this thread, the inspector responds immediately. */
function takeEntered(): readonly EnteredFile[] {
  let entered: readonly EnteredFile[] = [];
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error !== null) throw error;
    entered = enteredFiles(coverage.result, pathToFileURL(`${process.cwd()}/`).href);
  });
  return entered;
}

function reply(answer: TraceReply): void {
  process.send?.(answer);
}
