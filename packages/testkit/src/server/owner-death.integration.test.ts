// @module-tag thorough

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { inRepository } from "../repository.ts";
import { startServer } from "./server.ts";

type Running = { readonly keeper: number; readonly pids: readonly number[]; readonly folder: string };

/** Starts a control plane, prints its processes, and runs until it is killed. */
const owner = `
  import { startServer } from "@virt/testkit";
  const { keeper, pids, folder } = await startServer();
  process.stderr.write("\\n" + JSON.stringify({ keeper, pids, folder }) + "\\n");
`;

const endings = [
  { reason: "is killed", end: (child: Pid) => process.kill(child.pid, "SIGKILL") },
  { reason: "is killed with its whole process group", end: (child: Pid) => process.kill(-child.pid, "SIGKILL") },
  { reason: "is terminated", end: (child: Pid) => process.kill(child.pid, "SIGTERM") },
  {
    reason: "is interrupted with its terminal",
    end: (child: Pid) => process.kill(-child.pid, "SIGINT"),
  },
] as const;

const patient = ["--input-type=module-typescript", "-e", `${owner} setInterval(() => undefined, 1000);`];

type Pid = { readonly pid: number };

test.each(endings)("leaves nothing when the owner $reason", async ({ end }) => {
  const child = run(patient);
  const running = await announced(child);
  end(child);
  await expectNothingLeft(running);
});

test("the next start cleans up if owner and keeper are killed", async () => {
  const child = run(patient);
  const running = await announced(child);
  process.kill(running.keeper, "SIGKILL");
  process.kill(child.pid, "SIGKILL");
  await expect.poll(() => running.pids.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 120_000 }).toEqual([]);
  await (await startServer()).stop();
  await expectNothingLeft(running);
});

test("leaves nothing when the owner exits without stopping", async () => {
  const child = run(["--input-type=module-typescript", "-e", `${owner} process.exit(0);`]);
  await expectNothingLeft(await announced(child));
});

test("a lasting control plane runs until its keeper is terminated", async () => {
  const lasting = owner.replace("startServer()", "startServer({ outlivesOwner: true })");
  const child = run(["--input-type=module-typescript", "-e", `${lasting} process.exit(0);`]);
  const running = await announced(child);
  await expect.poll(() => existsSync(`/proc/${child.pid}`)).toBe(false);
  expect([running.keeper, ...running.pids].filter((pid) => existsSync(`/proc/${pid}`))).toHaveLength(3);
  process.kill(running.keeper, "SIGTERM");
  await expectNothingLeft(running);
});

test("leaves nothing when the test runner is killed during a test", async () => {
  const folder = inRepository(".make", "killed-runner");
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const forever = `import { test } from "vitest"; test("stays", async () => { ${body(owner)} await new Promise(() => setInterval(() => undefined, 1000)); });`;
  writeFileSync(join(folder, "stays.test.ts"), imports(owner) + forever);
  const settings = { test: { include: ["stays.test.ts"], pool: "forks", testTimeout: 180_000 } };
  writeFileSync(join(folder, "vitest.config.ts"), `export default ${JSON.stringify(settings)};`);
  const child = run([inRepository("node_modules/vitest/vitest.mjs"), "run", "--root", folder]);
  const running = await announced(child);
  process.kill(child.pid, "SIGKILL");
  await expectNothingLeft(running);
});

function run(args: readonly string[]): ChildProcess & Pid {
  const child = spawn(process.execPath, args, {
    cwd: inRepository(),
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  if (child.pid === undefined) throw new Error("the owner did not start");
  return child as ChildProcess & Pid;
}

async function announced({ stderr }: ChildProcess): Promise<Running> {
  if (stderr === null) throw new Error("the owner has no stderr");
  for await (const line of createInterface(stderr)) {
    if (line.startsWith("{")) return JSON.parse(line) as Running;
  }
  throw new Error("the owner ended before it had a control plane");
}

async function expectNothingLeft({ keeper, pids, folder }: Running): Promise<void> {
  const left = () => [...[keeper, ...pids].map((pid) => `/proc/${pid}`), folder].filter((path) => existsSync(path));
  await expect.poll(left, { timeout: 120_000, interval: 20 }).toEqual([]);
}

function imports(code: string): string {
  return code
    .split("\n")
    .filter((line) => line.trim().startsWith("import"))
    .join("\n");
}

function body(code: string): string {
  return code
    .split("\n")
    .filter((line) => !line.trim().startsWith("import"))
    .join("\n");
}
