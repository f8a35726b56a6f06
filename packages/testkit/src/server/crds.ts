// Installs CustomResourceDefinitions and waits until they are served.

import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { loadAll } from "js-yaml";
import { inRepository } from "../repository.ts";
import type { TestClient } from "./test-client.ts";

/** The parts of a CRD that tests need. */
export type Crd = {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
};

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Accepts parsed definitions and files, relative to the repository root. */
export async function installCrds(
  wire: Pick<TestClient, "request">,
  definitions: readonly (string | Crd)[],
): Promise<void> {
  const all = definitions.flatMap((definition) =>
    typeof definition === "string" ? readCrds(definition) : [definition],
  );
  await Promise.all(all.map((crd) => install(wire, crd)));
}

function readCrds(file: string): readonly Crd[] {
  return loadAll(readFileSync(inRepository(file), "utf8")) as readonly Crd[];
}

async function install(wire: Pick<TestClient, "request">, crd: Crd): Promise<void> {
  const path = `${crds}/${crd.metadata.name}?fieldManager=testkit&force=true&fieldValidation=Strict`;
  const answer = await wire.request({ method: "PATCH", path, body: crd, contentType: "application/apply-patch+yaml" });
  if (answer.status !== 200 && answer.status !== 201) {
    throw new Error(`cannot install ${crd.metadata.name}: ${JSON.stringify(answer.body)}`);
  }
  await awaitServed(wire, crd);
}

export async function awaitServed(wire: Pick<TestClient, "request">, crd: Crd): Promise<void> {
  const served = crd.spec.versions.filter((version) => version.served).map((version) => version.name);
  await Promise.all(served.map((version) => awaitDiscovery(wire, crd, version, "served")));
}

/** Deletes the CRD with all its objects. Waits until the kind is not served. */
export async function removeCrd(wire: Pick<TestClient, "request">, crd: Crd): Promise<void> {
  await wire.request({ method: "DELETE", path: `${crds}/${crd.metadata.name}` });
  await Promise.all(crd.spec.versions.map((version) => awaitDiscovery(wire, crd, version.name, "gone")));
}

const hangsAfterMs = 120_000;

// A CRD is Established a few milliseconds before its path is served.
async function awaitDiscovery(
  wire: Pick<TestClient, "request">,
  { spec, metadata }: Crd,
  version: string,
  wanted: "served" | "gone",
): Promise<void> {
  const deadline = AbortSignal.timeout(hangsAfterMs);
  while (!deadline.aborted) {
    const { body } = await wire.request({ path: `/apis/${spec.group}/${version}` });
    const { resources = [] } = body as { resources?: readonly { name: string }[] };
    const isListed = resources.some(({ name }) => name === spec.names.plural);
    const isUsable =
      isListed && (await wire.request({ path: `/apis/${spec.group}/${version}/${spec.names.plural}` })).status === 200;
    if (wanted === "served" ? isUsable : !isListed) return;
    await wait(20);
  }
  throw new Error(`${metadata.name} ${version} is not ${wanted} after ${hangsAfterMs / 1000} s`);
}
