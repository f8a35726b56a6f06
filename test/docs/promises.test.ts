import { readFileSync } from "node:fs";
import { phases } from "@virt/api";
import { assets, profiles } from "@virt/catalog";
import { inRepository } from "@virt/testkit";
import { load, loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { pages, textOf } from "./pages.ts";
import { exceptionFor, list, stepsOf } from "./printed.ts";

test("no page asks users to run the operator binary", () => {
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`virt-operator (?:render|explain|exclusions|features)[^`]*`/g)].map(
      ([command]) => `${path}: ${command}`,
    ),
  );
  expect(named).toEqual([]);
});

type Crd = {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly spec: { properties: object } } } };
    }[];
  };
};

test("the concepts page explains every field of the spec", () => {
  const crd = load(
    readFileSync(inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml"), "utf8"),
  ) as Crd;
  const fields = Object.keys(crd.spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties ?? {});
  const concepts = textOf("docs/concepts.md");
  expect(fields.length).toBeGreaterThan(5);
  expect(fields.filter((field) => !concepts.includes(`\n| \`${field}\` |`))).toEqual([]);
});

test("guides describe action: Apply correctly, and recommend approval by hash", () => {
  const started = textOf("docs/getting-started.md");
  expect(started.replaceAll(/\s+/gu, " ")).toContain(
    "`action: Apply` runs the plan that results from the spec, whether you reviewed it or not. To run only the plan that you reviewed, [approve it by its hash]",
  );
  expect(textOf("docs/gitops.md")).toMatch(/Always commit `approvedPlan` together with `action: Apply`\./u);
  const wrong = pages.filter(({ text }) => /nothing on a node changes (?:before|until) you approve/iu.test(text));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("the concepts page names every reason that stops an Apply", () => {
  const text = textOf("docs/concepts.md").replaceAll(/\s+/gu, " ");
  expect(text).toContain(
    "There are four exceptions: a forced review is pending (next point), `approvedPlan` names another plan, `--require-approved-plan` is set and `approvedPlan` is not, or a guard is not met.",
  );
});

test("no page promises that ending a plan stops its rollout", () => {
  const wrong = pages.filter(({ text }) => /nodes that have begun/iu.test(text));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test("every page that unpauses a pool warns that all pending changes start", () => {
  const resuming = pages.filter(({ text }) => /"paused": ?false/u.test(text));
  expect(resuming.length).toBeGreaterThan(2);
  const silent = resuming.filter(({ text }) => !/pending\s+changes\s+(?:to|of|in)\s+the\s+pool/u.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

type Topic = {
  readonly page: string;
  readonly headline: string;
  readonly says: readonly string[];
  /** True for advice or diagrams without commands. */
  readonly hasNoCommands?: true;
};

const topics: readonly Topic[] = [
  { page: "TESTING_ON_KIND", headline: "Custom options", says: ["evictionLimitTotal"] },
  { page: "TESTING_ON_KIND", headline: "Drift", says: ["Drifted"] },
  { page: "TESTING_ON_KIND", headline: "Troubleshooting", says: ["PrerequisiteFailed", "ErrImagePull"] },
  { page: "VIRTHIGHERDENSITY_PROFILE", headline: "Troubleshooting", says: ["PrerequisiteFailed", "CNV_SWAP"] },
  {
    page: "VIRTHIGHERDENSITY_PROFILE",
    headline: "Best practices",
    says: ["swap", "ksmConfiguration.nodeLabelSelector", "spec.guards"],
    hasNoCommands: true,
  },
  { page: "OPENSHIFT_DEPLOYMENT", headline: "7. Roll back", says: ["enableSwap: false", "Ignore"] },
  {
    page: "WORKFLOW_EXAMPLE",
    headline: "8. Monitoring progress during long operations",
    says: ["`spec.failurePolicy`", "`Abort`", "`Continue`", "failurePolicy: Continue"],
  },
  {
    page: "WORKFLOW_EXAMPLE",
    headline: "10. Drift detection",
    says: ["a target was edited", "`Drifted`", "an input of the plan changed", "`InputDependencyDrift`"],
  },
  { page: "WORKFLOW_EXAMPLE", headline: "Appendix: the higher-density profile", says: ["enable-kubelet-swap"] },
  {
    page: "LOADAWARE_PROFILE",
    headline: "Phases of a plan",
    says: ["stateDiagram", ...phases.filter((phase) => phase !== "Pending" && phase !== "CompletedWithErrors")],
    hasNoCommands: true,
  },
  { page: "LOADAWARE_PROFILE", headline: "Skip the check for stale targets", says: ["`bypassOptimisticLock: true`"] },
];

test.each(topics)("$page explains $headline with tested commands", ({ page, headline, says, ...more }) => {
  const path = `docs/${page}.md`;
  const text = textOf(path);
  const [, section = ""] = text.split(`\n## ${headline}\n`);
  const [own = ""] = section.split(/\n## /u);
  expect(says.filter((words) => !own.includes(words))).toEqual([]);
  const typed = stepsOf(path).filter((step) => exceptionFor(path, step) === undefined);
  const isThere = typed.some(({ text: command }) => own.includes(command));
  expect(list.tried).toContain(path);
  expect(isThere).toBe(more.hasNoCommands !== true);
});

test("the workflow guide explains why the seed's progress text was replaced", () => {
  expect(textOf("docs/WORKFLOW_EXAMPLE.md")).toMatch(
    /`\(Updated: 1\/3, Ready: 1\/3\)`\.\sIt\swas\sunclear\swhich\sobjects\s/u,
  );
});

type Rule = {
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
};
type Role = { readonly rules: readonly Rule[] };

test("the security model and the role agree on the number of MachineConfigs", () => {
  const text = readFileSync(inRepository("config", "rbac", "advisor", "role.yaml"), "utf8");
  const roles = loadAll(text) as readonly Role[];
  const names = roles
    .flatMap(({ rules }) => rules)
    .filter(({ resources, verbs }) => resources.includes("machineconfigs") && verbs.includes("patch"))
    .flatMap(({ resourceNames = [] }) => resourceNames);
  const words = ["no", "one", "two", "three", "four", "five", "six"];
  expect(textOf("docs/security-model.md")).toContain(`its own ${words[new Set(names).size]} MachineConfigs`);
});

function powersOf(token: string): string {
  const [, list = ""] = textOf("docs/security-model.md").split(
    `With a stolen token of the **${token}**, an attacker can still:\n\n`,
  );
  return (list.split("\n\n")[0] ?? "").replaceAll(/\s+/gu, " ");
}

/** The advisor's writes under the default roles, in the words of the security model. */
const targetWords: Readonly<Record<string, string>> = {
  "HyperConverged kubevirt-hyperconverged": "a memory ratio of 100 to 300 percent, and KSM on any nodes",
  "MigrationPolicy virt-live-migration": "or in the MigrationPolicy `virt-live-migration` for some",
  "NodeHealthCheck virt-node-health-check": "the NodeHealthCheck `virt-node-health-check`",
  "KubeDescheduler cluster": "the descheduler with any allowed option",
  "MachineConfig 90-worker-kubelet-swap": "the MachineConfigs for PSI and swap (which reboots nodes)",
  "MachineConfig 90-master-kubelet-swap": "the MachineConfigs for PSI and swap (which reboots nodes)",
  "MachineConfig 99-worker-psi-karg": "the MachineConfigs for PSI and swap (which reboots nodes)",
  "MachineConfig 99-master-psi-karg": "the MachineConfigs for PSI and swap (which reboots nodes)",
};

test("the security model lists every target of a stolen advisor token", () => {
  const shipped = profiles.filter(({ name }) => name !== "example-profile");
  const targets = shipped.flatMap((profile) =>
    profile.targets.flatMap(({ kind, names }) => names.map((name) => `${kind} ${name}`)),
  );
  expect([...new Set(targets)].toSorted()).toEqual(Object.keys(targetWords).toSorted());
  const powers = powersOf("advisor");
  expect(Object.values(targetWords).filter((words) => !powers.includes(words))).toEqual([]);
});

test("the security model lists the rebooting kinds of a stolen platform token", () => {
  const rebooting = assets.filter(({ impact }) => impact === "reboot").map(({ target }) => target.kind);
  expect([...new Set(rebooting)].toSorted()).toEqual(["KubeletConfig", "MachineConfig"]);
  expect(powersOf("platform operator")).toContain(
    "This includes MachineConfigs and the KubeletConfig, which reboots workers",
  );
});
