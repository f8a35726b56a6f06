// @module-tag thorough

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { phases } from "@virt/api";
import { inRepository } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import { obtainProgram } from "../../tools/test-tools/obtain.ts";
import { lua } from "../../tools/test-tools/pins.ts";
import { configIn, situations, statusOf } from "./situations.ts";

const script = inRepository("config", "gitops", "argocd-health.lua");
const patience = 600_000; // the interpreter may first need a download

test("the situations cover all phases", () => {
  const reached = situations.map((situation) => statusOf(situation).phase);
  expect(reached).toEqual(situations.map(({ phase }) => phase));
  expect(new Set(reached)).toEqual(new Set(phases));
});

test.each(situations)("$phase, $reason: $argo", { timeout: patience }, (situation) => {
  const config = configIn(situation);
  const health = evaluateHealth(config);
  expect(health.status).toBe(situation.argo);
  const ready = config.status?.conditions?.find(({ type }) => type === "Ready");
  const reconciling = config.status?.conditions?.find(({ type }) => type === "Reconciling");
  expect([ready?.message, reconciling?.message]).toContain(health.message);
});

test("a config that is not reconciled since its last edit is Progressing", { timeout: patience }, () => {
  const [situation] = situations.filter(({ phase }) => phase === "Completed");
  if (situation === undefined) throw new Error("there is no completed config");
  const { status, ...fresh } = configIn(situation);
  const edited = { ...fresh, status, metadata: { ...fresh.metadata, generation: 99 } };
  expect([fresh, edited].map((config) => evaluateHealth(config).status)).toEqual(["Progressing", "Progressing"]);
});

test("the guide's table shows the same health", () => {
  const guide = readFileSync(inRepository("docs", "gitops.md"), "utf8");
  const rows = guide
    .split("\n")
    .filter((line) => /^\| \w+/.test(line))
    .slice(1);
  const reports = rows.flatMap((row) => {
    const [, named = "", argo = ""] = row.split("|").map((cell) => cell.trim());
    return (named.match(/[A-Z]\w+/g) ?? [])
      .filter((word) => phases.some((phase) => phase === word))
      .map((phase) => `${phase}: ${argo}`);
  });
  expect(new Set(reports)).toEqual(new Set(situations.map(({ phase, argo }) => `${phase}: ${argo}`)));
});

function evaluateHealth(object: object): { readonly status: string; readonly message: string } {
  const folder = mkdtempSync(join(tmpdir(), "argocd-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, "health.lua");
  const run = `local health = assert(loadfile(${JSON.stringify(script)}))()`;
  writeFileSync(program, `obj = ${luaOf(object)}\n${run}\nio.write(health.status, "\\n", health.message or "")\n`);
  const { status, stdout, stderr } = spawnSync(obtainProgram(lua), [program], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const [first = "", ...rest] = stdout.split("\n");
  return { status: first, message: rest.join("\n") };
}

function luaOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(luaOf).join(", ")}}`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([name, field]) => `[${textOf(name)}] = ${luaOf(field)}`).join(", ")}}`;
  }
  return typeof value === "string" ? textOf(value) : JSON.stringify(value);
}

function textOf(text: string): string {
  return JSON.stringify(text).replaceAll("\\/", "/");
}
