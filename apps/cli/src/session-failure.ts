// Converts failed requests to messages for the user.

import type { Json } from "@virt/api";
import { type Access, type ApiAnswer, type FailedRequest, type Resource, resourceName } from "@virt/kube";
import { asText, at } from "@virt/objects";
import { foreignText, installCommand } from "@virt/views";
import { CliError, exitCodes } from "./verb.ts";

export type ApiVerb = {
  readonly verb: string;
  readonly resource: Resource;
  readonly name?: string;
  readonly namespace?: string;
};

export function describeFailure(answer: ApiAnswer | FailedRequest, call: ApiVerb, access: Access): CliError {
  const { verb, resource, name, namespace } = call;
  const kind = resourceName(resource);
  const object = name === undefined ? kind : `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  const where = `${access.server} (${access.source})`;
  if (answer.kind === "failed")
    return new CliError(
      `cannot ${verb} ${object}: ${foreignText(answer.failure.message)}. Check that ${where} is running and reachable`,
    );
  const message = foreignText(withoutPatch(asText(at(answer.body, "message")) ?? ""), 400);
  if (answer.body === undefined || typeof answer.body !== "object") {
    const what = /^\s*</u.test(answer.text) ? "HTML" : "a body that is not JSON";
    if (answer.status === 404 && !/^\s*</u.test(answer.text)) return notInstalled(kind, where);
    return new CliError(
      `cannot ${verb} ${object}: ${where} returned ${answer.status} with ${what}. Check that this is the address of an API server, not of a proxy or a login page`,
    );
  }
  switch (answer.status) {
    case 401:
      return new CliError(`cannot ${verb} ${object}: you are not logged in to ${where}. Log in again`);
    case 403:
      return new CliError(
        `cannot ${verb} ${object}: ${message}. Ask an administrator for a role that allows ${verb} on ${kind}. To check, run: kubectl auth can-i ${verb} ${kind}`,
        exitCodes.error,
        undefined,
        answer.status,
      );
    case 404:
      return isAbsent(answer.body) && name !== undefined
        ? new CliError(`${object} does not exist`)
        : notInstalled(kind, where);
    default:
      return new CliError(`cannot ${verb} ${object}: the API server returned ${answer.status}: ${message}`);
  }
}

/** Removes the patch from an error. For an unknown field, the API server quotes the whole patch before the actual error. */
function withoutPatch(message: string): string {
  return /strict decoding error: (.*)$/su.exec(message)?.[1] ?? message;
}

function notInstalled(kind: string, where: string): CliError {
  return new CliError(
    `${kind} is not served by ${where}: the advisor is not installed there. Use another --context, or build an image (docs/OPENSHIFT_DEPLOYMENT.md) and run from a checkout of this project: ${installCommand}`,
    exitCodes.error,
    undefined,
    404,
  );
}

/** Reports whether a 404 means that the object is missing. A 404 for an unknown API path has no `details`. */
export function isAbsent(body: Json | undefined): boolean {
  return at(body ?? null, "kind") === "Status" && at(body ?? null, "details", "name") !== undefined;
}
