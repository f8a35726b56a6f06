import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillPathFolder } from "./path-folder.ts";

const root = mkdtempSync(join(tmpdir(), "demo-path-"));
const folder = join(root, "path");

/** Programs that print what they were called with, one word per line. */
function writeEcho(name: string): string {
  const file = join(root, name);
  writeFileSync(file, `#!/bin/sh\nfor word in ${name} "$@"; do printf "%s\\n" "$word"; done\n`);
  chmodSync(file, 0o755);
  return file;
}

beforeAll(() => {
  mkdirSync(folder);
  fillPathFolder(folder, { kubectl: writeEcho("kubectl"), plugin: writeEcho("plugin") });
});
afterAll(() => rmSync(root, { recursive: true }));

test.each([
  { typed: "kubectl get nodes", runs: "kubectl get nodes" },
  { typed: "kubectl-virt_advisor status", runs: "plugin status" },
  { typed: "oc edit mcp worker", runs: "kubectl edit mcp worker" },
  { typed: "oc adm uncordon w-0", runs: "on OpenShift this runs: oc adm uncordon w-0" },
  {
    typed: "virtctl stop a -n vms",
    runs: 'kubectl patch virtualmachine a -n vms --type=merge -p {"spec":{"runStrategy":"Halted"}}',
  },
  {
    typed: "virtctl start a -n vms",
    runs: 'kubectl patch virtualmachine a -n vms --type=merge -p {"spec":{"runStrategy":"Always"}}',
  },
  { typed: "virtctl migrate a", runs: "on a real cluster this runs: virtctl migrate a" },
])("`$typed` runs with the demo's PATH folder", ({ typed, runs }) => {
  const { status, stdout } = spawnSync("sh", ["-c", typed], {
    env: { PATH: `${folder}:/usr/bin:/bin` },
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stdout.trim().split("\n").join(" ")).toContain(runs);
});
