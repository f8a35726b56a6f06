import { readFileSync } from "node:fs";
import { type ExpectedPolicy, expectedPolicies } from "@virt/catalog";
import { hashPolicySpec } from "@virt/cluster";
import { type Json, type KubeObject } from "@virt/objects";
import { inRepository } from "@virt/testkit";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { messageOf, type RightsCluster, startRightsCluster } from "./rights-cluster.ts";

const kinds = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"] as const;
const plurals = { [kinds[0]]: "validatingadmissionpolicies", [kinds[1]]: "validatingadmissionpolicybindings" };
const all = Object.values(expectedPolicies).flat();
const namespaceOf = ({ name }: ExpectedPolicy) => name.replace(/^(virt-\w+-operator)-.*$/, "$1-system");
const hashesOf = (policy: ExpectedPolicy) => ({ [kinds[0]]: policy.hash, [kinds[1]]: policy.bindingHash });

let cluster: RightsCluster;
beforeAll(async () => {
  cluster = await startRightsCluster();
});
afterAll(() => cluster.server.stop());

const hashIn = ({ spec }: KubeObject, namespace: string) => hashPolicySpec(spec as Json, namespace);

test.each(all)("$name has the expected hash on an API server", async (policy) => {
  for (const kind of kinds) {
    const path = `/apis/admissionregistration.k8s.io/v1/${plurals[kind]}/${policy.name}`;
    const answer = await cluster.server.request({ path });
    expect(messageOf(answer)).toBe("");
    expect(hashIn(answer.body as KubeObject, namespaceOf(policy))).toBe(hashesOf(policy)[kind]);
  }
});

test("a narrowed policy has another hash", async () => {
  const [policy] = expectedPolicies.advisor as [ExpectedPolicy];
  const path = `/apis/admissionregistration.k8s.io/v1/${plurals[kinds[0]]}/${policy.name}?dryRun=All`;
  const matchConstraints = { objectSelector: { matchLabels: { never: "there" } } };
  const { body } = await cluster.server.request({ method: "PATCH", path, body: { spec: { matchConstraints } } });
  expect(hashIn(body as KubeObject, namespaceOf(policy))).not.toBe(policy.hash);
});

describe.each([
  { file: "dist/install.yaml", namespace: undefined },
  { file: "bundle/admission.yaml", namespace: "virt-operators-system" },
])("$file", ({ file, namespace }) => {
  const objects = loadAll(readFileSync(inRepository(file), "utf8")) as unknown as readonly KubeObject[];
  const shipped = objects.filter(({ kind }) => kinds.some((one) => one === kind));

  test("contains exactly the expected policies with their hashes", () => {
    const found = shipped.map((object) => {
      const policy = all.find(({ name }) => name === object.metadata.name);
      const place = namespace ?? (policy === undefined ? "" : namespaceOf(policy));
      return `${object.kind} ${object.metadata.name} ${hashIn(object, place)}`;
    });
    const wanted = all.flatMap((policy) =>
      Object.entries(hashesOf(policy)).map(([kind, hash]) => `${kind} ${policy.name} ${hash}`),
    );
    expect(found.toSorted()).toEqual(wanted.toSorted());
  });
});
