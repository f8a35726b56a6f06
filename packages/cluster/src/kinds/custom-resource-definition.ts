import { asList, asText, at, type JsonMap, type KubeObject, member } from "@virt/objects";

/** Returns the openAPIV3Schema of a version in a CRD, or undefined if the version is missing or not served. */
export function readVersionSchema(crd: KubeObject | undefined, version: string): JsonMap | undefined {
  const served = asList(at(crd, "spec", "versions")).find(
    // Bundled schemas have no `served` field, so a missing one counts as served.
    (one) => asText(member(one, "name")) === version && member(one, "served") !== false,
  );
  return at(served, "schema", "openAPIV3Schema") as JsonMap | undefined;
}
