import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import { afterAll, expect, test } from "vitest";
import { type RunningProgram, startProgram } from "../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "settings-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

function start(environment: Readonly<Record<string, string>>): RunningProgram {
  const file = join(mkdtempSync(join(folder, "run-")), "environment");
  writeFileSync(
    file,
    Object.entries(environment)
      .map(([name, value]) => `${name}="${value}"\n`)
      .join(""),
  );
  return startProgram("virt-operator", [], [`--env-file=${file}`]);
}

test("reads the kubeconfig from its environment variable", async () => {
  const missing = join(folder, "no-such-kubeconfig");
  const program = start({ VIRT_OPERATOR_KUBECONFIG: missing });
  expect(await program.exited).toBe(1);
  expect(program.words()).toContain(missing);
});

const page = readFileSync(inRepository("docs", "settings.md"), "utf8");
const documented = [...page.matchAll(/^\| `--[\w-]+` \| `(\w+)` \|/gm)].map(([, variable = ""]) => variable);
/** Any path is valid. */
const unchecked = ["VIRT_OPERATOR_KUBECONFIG", "VIRT_OPERATOR_METRICS_CERT_PATH"];

test("rejects an invalid variable with its name and the next step", async () => {
  expect(documented).toEqual(expect.arrayContaining(["VIRT_OPERATOR_REQUIRE_APPROVED_PLAN", ...unchecked]));
  for (const variable of documented.filter((one) => !unchecked.includes(one))) {
    const program = start({ [variable]: "Not_One" });
    expect([variable, await program.exited]).toEqual([variable, 2]);
    expect(program.words()).toMatch(
      new RegExp(
        `^virt-operator: ${variable}=Not_One: must be .+\\. Correct the variable, or remove it for the default.*\\n$`,
      ),
    );
  }
});

test("warns about an unknown variable and runs", async () => {
  const kubeconfig = join(folder, "unreachable.kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify(unreachable));
  const environment = {
    VIRT_OPERATOR_FEATURE_OF_TOMORROW: "on",
    VIRT_OPERATOR_KUBECONFIG: kubeconfig,
    VIRT_OPERATOR_CONTROLLERS: "platform",
    VIRT_OPERATOR_HEALTH_PROBE_BIND_ADDRESS: "0",
  };
  await using program = start(environment);
  const warnings = () => program.log.filter(({ level, variables }) => level === "warn" && variables !== undefined);
  await expect.poll(warnings).toMatchObject([{ variables: ["VIRT_OPERATOR_FEATURE_OF_TOMORROW"] }]);
  expect(program.log[0]).toMatchObject({ msg: "starting", controllers: ["platform"] });
  expect(program.child.exitCode).toBeNull();
});

const unreachable = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "nowhere",
  contexts: [{ name: "nowhere", context: { cluster: "nowhere", user: "nobody" } }],
  clusters: [{ name: "nowhere", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "nobody", user: { token: "none" } }],
};
