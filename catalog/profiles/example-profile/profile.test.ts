import { writeYaml } from "@virt/objects";
import { expect, test } from "vitest";
import profile from "./profile.ts";

const ownNamespace = "virt-advisor-operator-system";

const places = [
  { reason: "is in openshift-cnv if that namespace exists", cnv: true, namespace: "openshift-cnv" },
  { reason: "is otherwise in the operator's namespace", cnv: false, namespace: ownNamespace },
];

test.each(places)("$reason", ({ cnv, namespace }) => {
  const [item, ...others] = profile.plan(undefined, { cnv, ownNamespace });
  expect(others).toEqual([]);
  expect(item).toEqual({
    name: "configure-example-component",
    message: "Waiting to apply configuration",
    operation: "Apply",
    target: { apiVersion: "v1", kind: "ConfigMap", name: "example-config", namespace },
    desired: expect.anything(),
    managedFields: ["data"],
    warnings: [],
    impact: { create: "Low", change: "Low" },
  });
  expect(item?.operation === "Apply" ? writeYaml(item.desired) : "").toBe(`apiVersion: v1
data:
  example-key: example-value
kind: ConfigMap
metadata:
  name: example-config
  namespace: ${namespace}
`);
});

test("has no prerequisites and no inputs", () => {
  const facts = { cnv: true, ownNamespace };
  expect([profile.needs({}), profile.refuse({}, facts), profile.inputs({}, facts)]).toEqual([[], undefined, []]);
});
