// The requests of an adoption, with the user's permissions: reads, annotations and deletions.

import type { KubeObject, Ref } from "@virt/api";
import {
  type Access,
  type ApiAnswer,
  type Client,
  Discovery,
  deleteObject,
  type FailedRequest,
  getObject,
  noLease,
  patchObject,
  type Resource,
} from "@virt/kube";
import { asList, at } from "@virt/objects";
import { type AnnotationOperation, objectName, refOfObject } from "@virt/platform";
import { fieldManager } from "../cluster-session.ts";
import { describeFailure, isAbsent } from "../session-failure.ts";
import { CliError } from "../verb.ts";

/** `moved`: the object is not the one that was read. */
export type WrittenObject = "written" | "moved";

export type AdoptionRequests = {
  /** Returns undefined if the object or its kind does not exist. */
  readonly read: (ref: Ref) => Promise<KubeObject | undefined>;
  readonly annotate: (
    object: KubeObject,
    patch: readonly AnnotationOperation[],
    isDryRun?: boolean,
  ) => Promise<WrittenObject>;
  /** Deletes exactly this version of the object. */
  readonly remove: (object: KubeObject, isDryRun?: boolean) => Promise<WrittenObject>;
};

export type RequestOptions = { readonly client: Client; readonly access: Access; readonly signal: AbortSignal };

/** All failures are CliErrors that name the object. */
export function adoptionRequests({ client, access, signal }: RequestOptions): AdoptionRequests {
  const discovery = new Discovery(client);
  const writer = client.under(noLease);
  const resourceOf = async (ref: Pick<Ref, "apiVersion" | "kind">): Promise<Resource | undefined> => {
    const found = await discovery.place(ref, signal, client);
    if (found.kind === "unavailable") throw new CliError(`cannot find kind ${ref.kind}: ${found.message}`);
    return found.kind === "served" ? found.resource : undefined;
  };
  const write = async (
    object: KubeObject,
    verb: "patch" | "delete",
    send: (resource: Resource) => Promise<ApiAnswer | FailedRequest>,
  ): Promise<WrittenObject> => {
    const resource = await resourceOf(object);
    if (resource === undefined) throw new CliError(`this cluster no longer serves ${objectName(refOfObject(object))}`);
    const answer = await send(resource);
    if (answer.kind === "answered" && answer.status < 300) return "written";
    if (answer.kind === "answered" && isOutdated(answer)) return "moved";
    throw describeFailure(answer, { verb, resource, ...placeOf(object.metadata) }, access);
  };
  return {
    read: async (ref) => {
      const resource = await resourceOf(ref);
      if (resource === undefined) return undefined;
      const answer = await client.send(getObject(resource, placeOf(ref)), { signal });
      if (answer.kind === "answered" && answer.status === 200 && answer.body !== undefined)
        return answer.body as KubeObject;
      if (answer.kind === "answered" && answer.status === 404) return undefined;
      throw describeFailure(answer, { verb: "get", resource, ...placeOf(ref) }, access);
    },
    annotate: (object, patch, isDryRun = false) =>
      write(object, "patch", (resource) => {
        const options = { type: "json", fieldManager, isDryRun } as const;
        const request = patchObject(resource, placeOf(object.metadata), patch, options);
        return writer.write(request, { signal });
      }),
    remove: (object, isDryRun = false) =>
      write(object, "delete", (resource) => {
        const { uid = "", resourceVersion } = object.metadata;
        const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
        const request = deleteObject(resource, placeOf(object.metadata), { preconditions, isDryRun });
        return writer.write(request, { signal });
      }),
  };
}

function placeOf({ name, namespace }: Pick<Ref, "name" | "namespace">) {
  return { name, ...(namespace !== undefined && { namespace }) };
}

/** A failed test of a JSON patch is a 422 without causes. A failed precondition or a concurrent write is a 409. */
function isOutdated({ status, body }: ApiAnswer): boolean {
  if (status === 409) return true;
  if (status === 404) return isAbsent(body);
  return status === 422 && asList(at(body ?? null, "details", "causes")).length === 0;
}
