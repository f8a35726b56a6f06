import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "./cluster.ts";
import { readDataUrl, writeDataUrl } from "./data-url.ts";
import { changeDiff } from "./diff.ts";
import { legible, readIgnition } from "./ignition.ts";
import type { Json } from "./json.ts";

const machineConfig = (config: Json): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "mc" },
  spec: { config },
});

const base64 = (content: string | Buffer) =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(content).toString("base64")}`;
const withFile = (file: Json) => machineConfig({ storage: { files: [file] } });
const contentsOf = (contents: Json) => readIgnition(withFile({ path: "/etc/x", contents })).files[0]?.contents;

const cases: readonly { reason: string; contents: Json; read: object }[] = [
  {
    reason: "base64 is decoded",
    contents: { source: base64("[Unit]\né\n") },
    read: { kind: "text", text: "[Unit]\né\n" },
  },
  {
    reason: "percent signs are decoded",
    contents: { source: "data:,a%20b%0Ac,d" },
    read: { kind: "text", text: "a b\nc,d" },
  },
  {
    reason: "a media type does not matter",
    contents: { source: "data:application/x;charset=x;base64,YQ%3D%3D" },
    read: { kind: "text", text: "a" },
  },
  { reason: "an empty file is a text", contents: { source: "data:," }, read: { kind: "text", text: "" } },
  {
    reason: "bytes that are no text are only counted",
    contents: { source: base64(Buffer.from([0xff, 0xfe])) },
    read: { kind: "binary", bytes: 2 },
  },
  {
    reason: "control characters are no text",
    contents: { source: base64("a\u0000b") },
    read: { kind: "binary", bytes: 3 },
  },
  {
    reason: "compressed contents are only counted",
    contents: { source: base64(gzipSync("x")), compression: "gzip" },
    read: { kind: "compressed", compression: "gzip", bytes: gzipSync("x").length },
  },
  {
    reason: "contents elsewhere are named",
    contents: { source: "https://example.com/x" },
    read: { kind: "elsewhere", source: "https://example.com/x" },
  },
  {
    reason: "broken contents are shown as they are",
    contents: { source: "data:;base64,%%%" },
    read: { kind: "elsewhere", source: "data:;base64,%%%" },
  },
  { reason: "a file may have no contents", contents: {}, read: { kind: "none" } },
];

test.each(cases)("$reason", ({ contents, read }) => {
  expect(contentsOf(contents)).toEqual(read);
});

test("files have their path and mode, units their name, state and parts", () => {
  const config = {
    storage: { files: [{ path: "/etc/a", mode: 493, contents: { source: "data:,x" } }, { mode: 1 }] },
    systemd: {
      units: [
        { name: "a.service", enabled: true, contents: "[Unit]\n" },
        { name: "system.slice", dropins: [{ name: "50.conf", contents: "[Slice]\n" }, {}] },
        {},
      ],
    },
  };
  expect(readIgnition(machineConfig(config))).toEqual({
    files: [{ path: "/etc/a", mode: "0755", contents: { kind: "text", text: "x" } }],
    units: [
      { name: "a.service", isEnabled: true, contents: "[Unit]\n", dropins: [] },
      { name: "system.slice", dropins: [{ name: "50.conf", contents: "[Slice]\n" }] },
    ],
  });
});

test("a diff of decoded files shows their lines", () => {
  const withText = (text: string) =>
    legible(withFile({ path: "/etc/x", contents: { source: base64(text) }, mode: 420 }));
  expect(changeDiff(withText("a\nb\n"), withText("a\nc\n"))).toContain(
    "           source: |\n             a\n-            b\n+            c\n         mode: 420\n",
  );
  expect(legible(withFile({ path: "/x", contents: { source: base64(Buffer.from([0, 1])) } }))["spec"]).toMatchObject({
    config: { storage: { files: [{ contents: { source: "(binary, 2 bytes)" } }] } },
  });
});

test("an object without files is shown as it is", () => {
  for (const object of [
    machineConfig({}),
    machineConfig("x"),
    { ...withFile({ path: "/x", contents: { source: "data:,a" } }), kind: "Other" },
  ]) {
    expect(legible(object)).toEqual(object);
  }
});

test("our own files are written in one form", () => {
  expect(writeDataUrl("é\n")).toBe("data:text/plain;charset=utf-8;base64,w6kK");
});

test("every content survives base64 and percent signs", () => {
  const law = fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
    const percent = `data:,${Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`;
    return [base64(Buffer.from(bytes)), percent].every((url) => {
      const read = readDataUrl(url);
      return read !== undefined && Buffer.compare(read, bytes) === 0;
    });
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("nothing that is written there makes it throw", () => {
  const key = fc.constantFrom(
    "config",
    "storage",
    "files",
    "systemd",
    "units",
    "dropins",
    "contents",
    "source",
    "path",
    "name",
    "mode",
    "enabled",
    "compression",
    "__proto__",
  );
  const leaf = fc.constantFrom<Json>(
    null,
    1,
    -1,
    1.5,
    true,
    "",
    "x",
    "data:",
    "data:,",
    "data:,%",
    "data:,%4",
    "data:;base64,A",
    "data:;base64,AAAA",
    "data:;base64,/w==",
    "/etc/x",
  );
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6, depthIdentifier: "ignition" },
      leaf,
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(key, tie("json"), { maxKeys: 3 }),
    ),
  }));
  const file = fc.oneof(leaf, fc.dictionary(key, json, { maxKeys: 4 }));
  const config = fc.oneof(
    json,
    fc.array(file, { maxLength: 2 }).map((files) => ({ storage: { files }, systemd: { units: files } })),
  );
  const law = fc.property(config, (config) => {
    const { files, units } = readIgnition(machineConfig(config));
    return Array.isArray(files) && Array.isArray(units) && legible(machineConfig(config)).metadata.name === "mc";
  });
  fc.assert(law, { numRuns: 20_000 });
});
