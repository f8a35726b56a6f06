// A tour of this package: a desired object, its diff for review, its hash, and drift.

import { expect, test } from "vitest";
import {
  applyPatch,
  changeDiff,
  describeChange,
  desiredChanges,
  digest,
  type KubeObject,
  maskFields,
  noSchema,
} from "./index.ts";

const desired: KubeObject = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  metadata: { name: "cluster", namespace: "openshift-kube-descheduler-operator" },
  spec: { mode: "Automatic", deschedulingIntervalSeconds: 60 },
};

test("an object is patched, masked, diffed, hashed and compared with its live state", () => {
  // An invalid patch is rejected as a whole, with a reason.
  const patched = applyPatch(desired, '[{"op": "replace", "path": "/spec/deschedulingIntervalSeconds", "value": 120}]');
  if (patched.kind !== "patched") throw new Error(patched.reason);

  const { object } = maskFields(patched.object, [["spec", "mode"]], noSchema);
  expect(object["spec"]).toEqual({ deschedulingIntervalSeconds: 120 });

  const live: KubeObject = { ...desired, spec: { mode: "Predictive", deschedulingIntervalSeconds: 3600 } };
  expect(changeDiff(live, { ...live, spec: { mode: "Predictive", deschedulingIntervalSeconds: 120 } })).toBe(
    `--- cluster (KubeDescheduler)
+++ cluster (KubeDescheduler)
@@ -4,5 +4,5 @@
   name: cluster
   namespace: openshift-kube-descheduler-operator
 spec:
-  deschedulingIntervalSeconds: 3600
+  deschedulingIntervalSeconds: 120
   mode: Predictive
`,
  );

  // The order of keys does not matter.
  expect(digest({ a: 1, b: 2 })).toBe(digest({ b: 2, a: 1 }));

  expect(desiredChanges(object, live).map(describeChange)).toEqual(["spec.deschedulingIntervalSeconds (120 -> 3600)"]);
});
