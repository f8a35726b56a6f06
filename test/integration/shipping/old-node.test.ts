import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inRepository } from "@virt/testkit";
import { transformSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";

const program = inRepository("dist", "virt-operator.mjs");

test("Node 12 can parse the program, which has no static imports", () => {
  const code = readFileSync(program, "utf8");
  const options = { format: "esm", minify: true } as const;
  expect(transformSync(code, { ...options, target: "node12.22" }).code).toBe(
    transformSync(code, { ...options, target: "esnext" }).code,
  );
  expect(code).not.toMatch(/^\s*(?:import|export)\s+[^(]/m);
});

const pretend = (version: string) =>
  `data:text/javascript,Object.defineProperty(process,"version",{value:"${version}"})`;

test.each(["v12.22.0", "v20.19.2", "v22.1.0"])("Node %s exits with one line that names the required version", (old) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", pretend(old), program, "render"], {
    encoding: "utf8",
  });
  expect(stderr).toBe(
    `virt-operator needs Node.js 24 or later; this is ${old}. In a copy of the repository, make render, make explain and make run bring the Node that they need; elsewhere use the image.\n`,
  );
  expect([status, stdout]).toEqual([1, ""]);
});

test("the machine's own Node starts the program or prints that line", () => {
  const own = ["/usr/bin/node", "/usr/local/bin/node"].find((file) => existsSync(file)) ?? process.execPath;
  const version = spawnSync(own, ["--version"], { encoding: "utf8" }).stdout.trim();
  const { stdout, stderr } = spawnSync(own, [program, "--version"], { encoding: "utf8" });
  const isOld = Number(version.slice(1).split(".")[0]) < 24;
  expect(isOld ? stderr : stdout).toContain(isOld ? `this is ${version}.` : "virt-operator v");
});

test("make render and make explain use the repository's Node", () => {
  const hco = join(mkdtempSync(join(tmpdir(), "old-node-test-")), "hco.yaml");
  onTestFinished(() => rmSync(dirname(hco), { recursive: true }));
  const metadata = "{name: kubevirt-hyperconverged, namespace: openshift-cnv}";
  writeFileSync(hco, `apiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\nmetadata: ${metadata}\n`);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: process.env["HOME"] };
  const make = (...args: readonly string[]) =>
    spawnSync("make", ["--silent", ...args], { cwd: inRepository(), env, encoding: "utf8" });
  const rendered = make("render", `HCO=${hco}`, "ASSET=swap-enable", "FLAGS=--activation=always");
  expect(rendered.stderr).not.toContain("rror");
  expect(rendered.stdout).toMatch(
    /^---\n(?:#.*\n)*apiVersion: machineconfiguration\.openshift\.io\/v1\nkind: MachineConfig\n/,
  );
  const explained = make("explain", `HCO=${hco}`, "ASSET=swap-enable", "FLAGS=--activation=always");
  expect(explained.stdout).toContain("swap-enable");
});
