import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillPathFolder } from "./path-folder.ts";

const root = mkdtempSync(join(tmpdir(), "demo-path-"));
const folder = join(root, "path");

function writeEcho(name: string): string {
  const file = join(root, name);
  writeFileSync(
    file,
    `#!/bin/sh\n[ "$1 $3" = "get missing" ] && exit 1\nfor word in ${name} "$@"; do printf "%s\\n" "$word"; done\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

beforeAll(() => {
  mkdirSync(folder);
  fillPathFolder(folder, { kubectl: writeEcho("kubectl"), plugin: writeEcho("plugin") });
});
afterAll(() => rmSync(root, { recursive: true }));

function type(typed: string) {
  return spawnSync("sh", ["-c", typed], { env: { PATH: `${folder}:/usr/bin:/bin` }, encoding: "utf8" });
}

test.each([
  { typed: "kubectl get nodes", runs: "kubectl get nodes" },
  { typed: "kubectl-virt_advisor status", runs: "plugin status" },
  { typed: "oc edit mcp worker", runs: "kubectl edit mcp worker" },
  { typed: "oc adm uncordon w-0", runs: "kubectl uncordon w-0" },
  { typed: "oc adm drain w-0 --force", runs: "kubectl drain w-0 --force" },
  { typed: "oc -n a get pods -l b=c", runs: "kubectl -n a get pods -l b=c" },
  {
    typed: "virtctl stop a -n vms",
    runs: 'kubectl patch virtualmachine a -n vms --type=merge -p {"spec":{"runStrategy":"Halted"}}',
  },
  {
    typed: "virtctl start a -n vms",
    runs: 'kubectl patch virtualmachine a -n vms --type=merge -p {"spec":{"runStrategy":"Always"}}',
  },
  {
    typed: "virtctl migrate a -n vms",
    runs: "kubectl get virtualmachineinstance a -n vms -o name kubectl create -n vms -f -",
  },
  { typed: "ssh core@w-0 journalctl -b -u kubelet", runs: "-- No entries --" },
])("`$typed` runs with the demo's PATH folder", ({ typed, runs }) => {
  const { status, stdout } = type(typed);
  expect(status).toBe(0);
  expect(stdout.trim().split("\n").join(" ")).toBe(runs);
});

test.each([
  { typed: "oc adm upgrade", says: "On OpenShift, it runs: oc adm upgrade" },
  { typed: "oc whoami", says: "On OpenShift, it runs: oc whoami" },
  { typed: "ssh core@w-0 reboot", says: "accepts no logins. On a real node, it runs: reboot", code: 255 },
  { typed: "virtctl stop", says: "accepts 1 argument, received 0" },
  { typed: "virtctl stop vms a", says: "accepts 1 argument, received more" },
  { typed: "virtctl stop a -n", says: "flag needs an argument: -n" },
  { typed: "virtctl migrate a --now", says: "unknown flag: --now" },
  { typed: "virtctl evacuate a", says: "do not support the command 'evacuate'" },
])("`$typed` fails because the stand-in does not support it", ({ typed, says, code = 1 }) => {
  const { status, stdout, stderr } = type(typed);
  expect({ status, stdout }).toEqual({ status: code, stdout: "" });
  expect(stderr).toContain(says);
});

test("`ssh` to another host runs the user's own ssh", () => {
  const own = join(root, "own");
  mkdirSync(own);
  writeFileSync(join(own, "ssh"), '#!/bin/sh\necho "own ssh $*"\n', { mode: 0o755 });
  const run = (typed: string) =>
    spawnSync("sh", ["-c", typed], { env: { PATH: `${folder}:${own}:/usr/bin:/bin` }, encoding: "utf8" }).stdout;
  expect(run("ssh git@example.org git-upload-pack x")).toBe("own ssh git@example.org git-upload-pack x\n");
  expect(run("ssh core@missing journalctl")).toBe("own ssh core@missing journalctl\n");
});
