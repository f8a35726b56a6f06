import { globSync, readFileSync } from "node:fs";
import type { VirtPlatformConfig } from "@virt/api";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import type { ClusterReader } from "./cluster-reader.ts";
import { mockFiles } from "./mocks.ts";
import { demoScenarios, findScenario, listScenarios } from "./scenarios.ts";
import { plugin, type Suggestion } from "./suggestion.ts";

const finding = {
  id: "VMNotMigratable",
  severity: "blocking",
  object: { kind: "VirtualMachineInstance", namespace: "vms", name: "a" },
  message: "VM vms/a blocks",
  command: "oc describe virtualmachineinstance a -n vms",
};
const cluster: ClusterReader = {
  readConfig: (name) =>
    Promise.resolve({
      metadata: { name },
      status: { planHash: "0123456789abcdef", rollout: { findings: [finding] } },
    } as unknown as VirtPlatformConfig),
  readObject: () => Promise.resolve(undefined),
  listPlatformEvents: () => Promise.resolve([]),
};

const all = [...demoScenarios].map(([name, scenario]) => ({ name, ...scenario }));
const suggestionsOf = async ({ stages }: (typeof all)[number]): Promise<readonly Suggestion[]> =>
  (await Promise.all(stages.map(({ suggest }) => suggest(cluster)))).flat();

test.each(all)("$name omits only known kinds", ({ missingKinds }) => {
  expect(mockFiles().length - mockFiles(missingKinds).length).toBe(missingKinds.length);
});

test.each(all)("every stage of $name has a command for the check", async ({ stages }) => {
  for (const { title, suggest } of stages) {
    const typed = (await suggest(cluster)).filter(({ isForPeople }) => isForPeople !== true);
    expect([title, typed.length > 0]).toEqual([title, true]);
  }
});

const commandLine = readFileSync(inRepository("docs", "command-line.md"), "utf8");
const verbs = new Map(
  [...commandLine.matchAll(/^\| `(\w+)[^|]*\|[^|]*\|([^|]*)\|$/gm)].map(
    ([, verb = "", flags = ""]) => [verb, [...flags.matchAll(/--[\w-]+/g)].map(([flag]) => flag)] as const,
  ),
);

test.each(all)("every command of $name is known to the plugin or the PATH folder", async (scenario) => {
  const wrong = (await suggestionsOf(scenario)).filter(({ command }) => {
    if (!command.startsWith(`${plugin} `)) return !/^(?:until )?(?:kubectl|oc|virtctl) /.test(command);
    const [verb = "", ...words] = command.slice(plugin.length + 1).split(" ");
    const flags = verbs.get(verb);
    return flags === undefined || words.some((word) => word.startsWith("--") && !flags.includes(word));
  });
  expect(wrong).toEqual([]);
});

test.each(all)("patches of $name are JSON, and its files exist", async (scenario) => {
  for (const { command } of await suggestionsOf(scenario)) {
    for (const [, patch = ""] of command.matchAll(/ -p '([^']*)'/g)) expect(() => JSON.parse(patch)).not.toThrow();
    for (const [, file = ""] of command.matchAll(/ -f (\S+)/g))
      expect(globSync(file, { cwd: inRepository() })).toEqual([file]);
  }
});

test("lists one line per scenario, and other clusters", () => {
  const lines = listScenarios(["stuck-drain", "single-node"]).split("\n");
  const columns = lines.map((line) => line.trim().split(/ {2,}/));
  for (const { name, about } of all) expect(columns).toContainEqual([name, about]);
  expect(lines).toContain("  single-node");
  expect(lines.filter((line) => line.length > 110)).toEqual([]);
});

test("another cluster, or one from a file, shows the first plan", () => {
  const first = demoScenarios.get("first-plan");
  const clusters = { names: ["custom-pool"], isFile: (path: string) => path === "mine.json" };
  expect(findScenario("custom-pool", clusters)).toMatchObject({ cluster: "custom-pool", stages: first?.stages });
  expect(findScenario("mine.json", clusters)).toMatchObject({ cluster: "mine.json", stages: first?.stages });
  expect(findScenario("yours.json", clusters)).toBeUndefined();
});

test("the check stops the VM that blocks the drain", async () => {
  const typed = await Promise.all(all.filter(({ name }) => name === "stuck-drain").map(suggestionsOf));
  expect(typed.flat().map(({ command }) => command)).toContain("virtctl stop a -n vms");
});
