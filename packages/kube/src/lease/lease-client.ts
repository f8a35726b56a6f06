// The Lease object on a real API server, over the one socket that is kept for it.

import type { Json } from "@virt/engine";
import type { Answer, Failed, Sender } from "../wire/client.ts";
import { type Writing, writingOf } from "../wire/outcome.ts";
import { createObject, getObject, type Resource, replaceObject } from "../wire/request.ts";
import type { LeaseAnswer } from "./election.ts";
import type { LeaseApi } from "./lease.ts";
import type { LeaseObject } from "./lease-object.ts";

const leases: Resource = { group: "coordination.k8s.io", version: "v1", plural: "leases", isNamespaced: true };

export function leaseClient(sender: Sender, place: { readonly namespace: string; readonly name: string }): LeaseApi {
  const { namespace } = place;
  const send = (request: ReturnType<typeof getObject>, signal: AbortSignal) =>
    sender.send(request, { signal, pool: "lease" });
  return {
    read: async (signal) => answerOf(await send(getObject(leases, place), signal), "found"),
    create: async (lease, signal) =>
      answerOf(await send(createObject(leases, { namespace }, json(lease)), signal), "written"),
    update: async (lease, signal) => answerOf(await send(replaceObject(leases, place, json(lease)), signal), "written"),
  };
}

// A lease is plain data; its type just does not say that every property of it is JSON.
function json(lease: LeaseObject): Json {
  return lease;
}

function answerOf(answer: Answer | Failed, success: "found" | "written"): LeaseAnswer {
  const writing = writingOf(answer);
  switch (writing.kind) {
    case "done":
      return { kind: success, lease: writing.live as unknown as LeaseObject };
    case "absent":
    case "missing":
      return success === "found" && writing.kind === "absent"
        ? { kind: "absent" }
        : { kind: "failed", message: whatIsMissing(writing) };
    case "stale":
    case "conflict":
      return { kind: "conflict" };
    case "rejected":
    case "unavailable":
      return { kind: "failed", message: writing.message };
  }
}

function whatIsMissing(writing: Writing & { kind: "absent" | "missing" }): string {
  return writing.kind === "missing" && writing.what === "namespace"
    ? "the lease's namespace does not exist"
    : "the lease is gone";
}
