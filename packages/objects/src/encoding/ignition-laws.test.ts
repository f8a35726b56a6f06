// Property-based tests of the readable form of MachineConfigs from any author.

import type { KubeObject } from "@virt/api";
import { runsForCost } from "@virt/testkit/law-runs";
import { applyPatch } from "diff";
import fc from "fast-check";
import { test } from "vitest";
import { changeDiff, creationDiff, deletionDiff, diffText } from "../diff/diff.ts";
import type { Json } from "../json/json.ts";

const machineConfig = (config: Json): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "mc" },
  spec: { config },
});
const base64 = (content: string | Buffer) => `data:;base64,${Buffer.from(content).toString("base64")}`;

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "\n", "~", " ", "-", "+", "\\", "\u001b", "é"), maxLength: 12 }),
  fc.constantFrom("@@ -1,1 +1,1 @@\n", "--- a\n+++ b\n", "~ file /etc/x\n", "\\ No newline at end of file"),
);
const anySource = fc.oneof(
  anyText.map(base64),
  anyText.map((text) => `data:,${encodeURIComponent(text)}`),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => base64(Buffer.from(bytes))),
  fc.constantFrom("https://example.com", "data:", ""),
);
const anyFile = fc.record({
  path: fc.constantFrom("/a", "/b: c", "/d\n"),
  mode: fc.constantFrom(420, 493),
  contents: fc.record({ source: anySource }),
});
const anyUnit = fc.record({
  name: fc.constantFrom("a.service", "b.slice"),
  enabled: fc.boolean(),
  contents: anyText,
  dropins: fc.array(fc.record({ name: fc.constantFrom("1.conf", "2.conf"), contents: anyText }), { maxLength: 2 }),
});
const anyConfig = fc
  .record({ files: fc.array(anyFile, { maxLength: 3 }), units: fc.array(anyUnit, { maxLength: 2 }) })
  .map(({ files, units }) => machineConfig({ storage: { files }, systemd: { units } }));

test("patching one side with a decoded diff gives the other", () => {
  const law = fc.property(anyConfig, anyConfig, (live, predicted) => {
    const [old, fresh] = [diffText(live), diffText(predicted)];
    const change = changeDiff(live, predicted);
    const isChanged = old === fresh || applyPatch(old, change) === fresh;
    return isChanged && applyPatch("", creationDiff(predicted)) === fresh && applyPatch(old, deletionDiff(live)) === "";
  });
  fc.assert(law, runsForCost(4));
});

const withUnit = (contents: string) => machineConfig({ systemd: { units: [{ name: "a", contents }] } });

test("different contents have different texts", () => {
  const law = fc.property(anyText, anyText, (left, right) => {
    const [one, other] = [left, right].map((text) => diffText(withUnit(text)));
    return (one === other) === (left === right);
  });
  fc.assert(law, runsForCost(4));
});

test("shows any content without throwing", () => {
  const keys = "config storage files systemd units dropins contents source path name mode enabled compression append";
  const urls = "data: data:, data:,% data:,%4 data:;base64,A data:;base64,AAAA data:;base64,/w==";
  const key = fc.constantFrom("__proto__", ...keys.split(" "));
  const leaf = fc.constantFrom<Json>(null, 1, -1, 1.5, true, "", "/etc/x", ...urls.split(" "));
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6, depthIdentifier: "ignition" },
      leaf,
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(key, tie("json"), { maxKeys: 3 }),
    ),
  }));
  const part = fc.oneof(leaf, fc.dictionary(key, json, { maxKeys: 4 }));
  const config = fc.oneof(
    json,
    fc.array(part, { maxLength: 2 }).map((parts) => ({ storage: { files: parts }, systemd: { units: [...parts] } })),
  );
  const law = fc.property(config, (any) => creationDiff(machineConfig(any)).startsWith("--- /dev/null\n"));
  fc.assert(law, runsForCost(4));
});
