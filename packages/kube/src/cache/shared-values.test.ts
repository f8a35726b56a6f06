// Tests that sharing equal values between objects does not change the objects.

import type { KubeObject } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SharedValues } from "./shared-values.ts";

const vm = (name: string, guest = "8Gi"): KubeObject =>
  JSON.parse(
    JSON.stringify({
      apiVersion: "kubevirt.io/v1",
      kind: "VirtualMachineInstance",
      metadata: { name, namespace: "vms" },
      spec: { domain: { memory: { guest }, cpu: { sockets: 2 } }, tolerations: [{ key: "gpu" }] },
    }),
  ) as KubeObject;

test("objects share all equal parts", () => {
  const shared = new SharedValues();
  const [first, second, larger] = [vm("a"), vm("b"), vm("c", "16Gi")].map((each) => shared.shareObject(each));
  expect(second?.["spec"]).toBe(first?.["spec"]);
  const [partOf, partOfLarger] = [first, larger].map(
    (each) => each?.["spec"] as { readonly domain: { readonly cpu: unknown }; readonly tolerations: unknown },
  );
  expect(partOfLarger?.domain.cpu).toBe(partOf?.domain.cpu);
  expect(partOfLarger?.tolerations).toBe(partOf?.tolerations);
  expect(larger).toEqual(vm("c", "16Gi"));
});

test("distinguishes a JSON text from the value that it describes", () => {
  const shared = new SharedValues();
  const object = (value: unknown) => ({ ...vm("a"), status: { value } }) as unknown as KubeObject;
  expect(shared.shareObject(object({ a: 1 }))).toEqual(object({ a: 1 }));
  expect(shared.shareObject(object('{"a":1}'))).toEqual(object('{"a":1}'));
  expect(shared.shareObject(object("[]"))).toEqual(object("[]"));
  expect(shared.shareObject(object([]))).toEqual(object([]));
});

test("shared objects equal the originals, including key order", () => {
  const rest = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 });
  const object = rest.map((members) => ({ ...vm("a"), status: members }));
  const law = fc.property(fc.array(object, { maxLength: 30 }), (objects) => {
    const shared = new SharedValues();
    return objects.every((each) => JSON.stringify(shared.shareObject(each)) === JSON.stringify(each));
  });
  fc.assert(law);
});

test("forgets unrelated values, so that memory is bounded", () => {
  const shared = new SharedValues();
  const spec = () => shared.shareObject(vm("same"))["spec"];
  const before = spec();
  for (let index = 0; index < 5_000; index++) shared.shareObject(vm(`vm-${index}`, `${index}Mi`));
  expect(spec()).not.toBe(before);
  expect(spec()).toBe(spec());
});
