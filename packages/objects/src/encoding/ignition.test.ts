// Tests the readable form of files and units in a MachineConfig.

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { changeDiff, creationDiff, deletionDiff, diffText } from "../diff/diff.ts";
import type { Json } from "../json/json.ts";
import { ignitionSections } from "./ignition.ts";
import { yamlLines } from "./yaml.ts";

const machineConfig = (config: Json): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "mc" },
  spec: { config },
});
const base64 = (content: string | Buffer) =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(content).toString("base64")}`;
const withFiles = (...files: readonly Json[]) => machineConfig({ storage: { files } });
const withUnits = (...units: readonly Json[]) => machineConfig({ systemd: { units } });
const linesOf = (object: KubeObject) => [...ignitionSections(object).values()].flat().flatMap(lined);
const lined = ({ heading, lines }: { heading: string; lines: readonly string[] }) => [heading, ...lines];
const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

const big = `data:,${"a".repeat(1 << 20)}`;
const zipped = gzipSync("x");
const files: readonly { reason: string; file: Json; lines: readonly string[] }[] = [
  {
    reason: "decodes base64",
    file: { mode: 420, contents: { source: base64("[Unit]\né\n") } },
    lines: ["~ file /etc/x (mode 0644)", "[Unit]", "é"],
  },
  {
    reason: "decodes percent encoding",
    file: { contents: { source: "data:,a%20b%0Ac,d%0a" } },
    lines: ["~ file /etc/x", "a b", "c,d"],
  },
  {
    reason: "ignores the media type",
    file: { contents: { source: "DATA:application/x;charset=x;base64,YQ%3D%3D" } },
    lines: ["~ file /etc/x, no newline at end", "a"],
  },
  { reason: "marks an empty file", file: { contents: { source: "data:," } }, lines: ["~ file /etc/x, empty"] },
  {
    reason: "keeps blank lines",
    file: { contents: { source: "data:,%0Aa%0A%0A" } },
    lines: ["~ file /etc/x", "", "a", ""],
  },
  {
    reason: "shows size and hash of binary content",
    file: { mode: 493, contents: { source: base64(Buffer.from([0xff, 0xfe])) } },
    lines: [`~ file /etc/x (mode 0755), binary, 2 bytes, sha256 ${sha256(Buffer.from([0xff, 0xfe]))}`],
  },
  {
    reason: "shows size and hash of compressed content",
    file: { contents: { source: base64(zipped), compression: "gzip" } },
    lines: [`~ file /etc/x, binary, ${zipped.length} bytes, sha256 ${sha256(zipped)}, contents.compression: "gzip"`],
  },
  {
    reason: "does not decode more than a megabyte",
    file: { contents: { source: big } },
    lines: [`~ file /etc/x, not decoded, ${big.length} characters, sha256 ${sha256(big)}`],
  },
  {
    reason: "escapes control characters and their backslashes",
    file: { contents: { source: base64("a\\n\u001b[8m\u202eb\r\n") } },
    lines: ["~ file /etc/x, escaped", "a\\\\n\\u{1b}[8m\\u{202e}b\\u{d}"],
  },
  {
    reason: "does not escape backslashes alone",
    file: { contents: { source: base64("a\\n\tb\n") } },
    lines: ["~ file /etc/x", "a\\n\tb"],
  },
  {
    reason: "shows the source of remote content",
    file: { contents: { source: "https://example.com/x" } },
    lines: [`~ file /etc/x, contents: {"source":"https://example.com/x"}`],
  },
  {
    reason: "shows invalid content unchanged",
    file: { contents: { source: "data:;base64,%%%" } },
    lines: [`~ file /etc/x, contents: {"source":"data:;base64,%%%"}`],
  },
  { reason: "shows a file without contents", file: { mode: 1.5 }, lines: ["~ file /etc/x, mode: 1.5"] },
  {
    reason: "keeps other fields of a file",
    file: { overwrite: true, user: { name: "core" }, contents: { source: "data:,a%0A", verification: { hash: "h" } } },
    lines: [`~ file /etc/x, overwrite: true, user: {"name":"core"}, contents.verification: {"hash":"h"}`, "a"],
  },
  {
    reason: "decodes appended content",
    file: { append: [{ source: "data:,a%0A" }, { source: "data:,b%0A" }] },
    lines: ["~ file /etc/x", "~ file /etc/x, append 1", "a", "~ file /etc/x, append 2", "b"],
  },
];

test.each(files)("$reason", ({ file, lines }) => {
  expect(linesOf(withFiles({ path: "/etc/x", ...(file as object) }))).toEqual(lines);
});

test("shows units with state, contents and drop-ins, and unnamed ones unchanged", () => {
  const units = withUnits(
    { name: "a.service", enabled: true, contents: "[Unit]\n" },
    { name: "b.service", enabled: false, mask: true },
    { name: "system.slice", dropins: [{ name: "50.conf", contents: "[Slice]\n" }, { name: "x" }] },
    { contents: "y" },
    3,
  );
  expect(linesOf(units)).toEqual([
    "~ unit a.service (enabled)",
    "[Unit]",
    "~ unit b.service (disabled), mask: true",
    "~ unit system.slice",
    "~ drop-in system.slice.d/50.conf",
    "[Slice]",
    `- {"name":"x"}`,
    `- {"contents":"y"}`,
    "- 3",
  ]);
});

test("quotes a path with a line break", () => {
  expect(linesOf(withFiles({ path: "/etc/x\n~ file /etc/y" }))).toEqual([`~ file "/etc/x\\n~ file /etc/y"`]);
});

const script = (...lines: readonly string[]) =>
  withFiles({ path: "/etc/run", mode: 493, contents: { source: base64(lines.map((line) => `${line}\n`).join("")) } });

test("shows a new file below its path", () => {
  expect(creationDiff(script("#!/bin/sh", "", "  swapon -a"))).toBe(`--- /dev/null
+++ mc (MachineConfig)
@@ -0,0 +1,12 @@
+apiVersion: machineconfiguration.openshift.io/v1
+kind: MachineConfig
+metadata:
+  name: mc
+spec:
+  config:
+    storage:
+      files:
+      ~ file /etc/run (mode 0755)
+        #!/bin/sh
+
+          swapon -a
`);
});

test("shows one changed line of a script in a hunk of its file", () => {
  const before = script("#!/bin/sh", "set -u", "a", "b", "c", "swapon -a", "d");
  const after = script("#!/bin/sh", "set -u", "a", "b", "c", "swapoff -a", "d");
  expect(changeDiff(before, after)).toBe(`--- mc (MachineConfig)
+++ mc (MachineConfig)
@@ -12,5 +12,5 @@ ~ file /etc/run (mode 0755)
         a
         b
         c
-        swapon -a
+        swapoff -a
         d
`);
});

test("shows contents with another encoding unchanged", () => {
  const file = (source: string) => withFiles({ path: "/etc/x", contents: { source } });
  expect(changeDiff(file("data:,a"), file("data:;base64,YQ=="))).toContain(
    "-          source: data:,a\n+          source: data:;base64,YQ==\n",
  );
});

test("shows files of other kinds unchanged", () => {
  const other = { ...withFiles({ path: "/x", contents: { source: "data:,a" } }), kind: "Other" };
  expect(diffText(other).split("\n")).toEqual([...yamlLines(other), ""]);
});

test("limits a diff to 32 kB and reports the number of omitted lines", () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => `line é ${at}`);
  for (const diff of [
    creationDiff(script(...lines)),
    deletionDiff(script(...lines)),
    changeDiff(script("x"), script(...lines)),
  ]) {
    expect(Buffer.byteLength(diff)).toBeLessThanOrEqual(32_000);
    expect(Buffer.byteLength(diff)).toBeGreaterThan(31_900);
    const shown = diff.split("\n").filter((line) => /line é/.test(line)).length;
    expect(diff).toMatch(new RegExp(`\\n… ${5_000 - shown} more lines: kubectl virt-advisor diff\\n$`));
  }
});
