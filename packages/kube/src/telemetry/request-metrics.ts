// Counts the requests to the API server by verb, resource and outcome.

import { Counter } from "prom-client";
import type { Answer, Failed, Sender, Stream } from "../wire/client.ts";
import type { ApiRequest } from "../wire/request.ts";
import type { MetricsPlace } from "./metrics.ts";

export type RequestObserver = (request: ApiRequest, answer: Answer | Failed | Stream) => void;

/** `code` is the status, or why there was none. */
export function requestMetrics({ registry, prefix }: MetricsPlace): RequestObserver {
  const requests = new Counter({
    name: `${prefix}requests_total`,
    help: "Requests to the API server, by verb, resource and status code, or the reason why there was no answer.",
    labelNames: ["verb", "resource", "code"],
    registers: [registry],
  });
  return (request, answer) => requests.inc({ ...whatOf(request), code: codeOf(answer) });
}

/** The sender, with every request told to the observer when its answer begins. */
export function observed(sender: Sender, observer: RequestObserver): Sender {
  return {
    send: async (request, sending) => {
      const answer = await sender.send(request, sending);
      observer(request, answer);
      return answer;
    },
    stream: async (request, sending) => {
      const answer = await sender.stream(request, sending);
      observer(request, answer);
      return answer;
    },
  };
}

const verbs = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" } as const;

/** The words of RBAC: get, list, watch, create, update, patch, delete. */
export function whatOf({ method, path, scope: { resource } }: ApiRequest): {
  readonly verb: string;
  readonly resource: string;
} {
  const [place = "", query = ""] = path.split("?");
  if (method !== "GET") return { verb: verbs[method], resource };
  if (new URLSearchParams(query).get("watch") === "true") return { verb: "watch", resource };
  const [plural = ""] = resource.split(".");
  return { verb: place.endsWith(`/${plural}`) ? "list" : "get", resource };
}

function codeOf(answer: Answer | Failed | Stream): string {
  switch (answer.kind) {
    case "answered":
      return `${answer.status}`;
    case "streaming":
      return "200";
    case "failed":
      return answer.failure.reason;
  }
}
