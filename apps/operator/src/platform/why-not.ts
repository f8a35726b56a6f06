// Why a write did not come about, in words for people.

import type { Ref } from "@virt/api";
import type { Writing } from "@virt/kube";

export function whyNot(writing: Writing, { apiVersion, kind, namespace = "" }: Ref): string {
  switch (writing.kind) {
    case "done":
      return "the API server answered without the object";
    case "stale":
      return "it changed while it was looked at";
    case "absent":
      return "it was deleted while it was looked at";
    case "conflict":
      return `others own fields: ${writing.conflicts.map(({ field, manager }) => `${field} (${manager})`).join(", ")}`;
    case "missing":
      return writing.what === "namespace"
        ? `namespace ${namespace} does not exist`
        : `kind ${kind} of ${apiVersion} is not served`;
    case "rejected":
    case "unavailable":
      return writing.message;
  }
}
