// The verbs there are, one entry each: help, completion, man page and documentation are made from this table.

import type { CliFlags, Verb } from "./verb.ts";

/** What every verb that talks to a cluster takes, as kubectl has it. */
export const globalFlags: CliFlags = {
  kubeconfig: { value: "FILE", help: "the kubeconfig to use instead of KUBECONFIG or ~/.kube/config" },
  context: { value: "NAME", help: "the context of the kubeconfig to use" },
  namespace: { value: "NAMESPACE", short: "n", help: "the namespace of the platform controller, for assets" },
  as: { value: "USER", help: "the user to impersonate" },
  "as-group": { value: "GROUP", help: "a group to impersonate; may be given several times", isRepeated: true },
  "request-timeout": { value: "DURATION", help: "how long one request may take, such as 10s; 0 is the default" },
  output: {
    value: "FORMAT",
    short: "o",
    help: "table, wide, name, json, yaml, jsonpath=TEMPLATE or markdown",
    choices: ["table", "wide", "name", "json", "yaml", "jsonpath=", "markdown"],
  },
  color: { value: "WHEN", help: "auto, always or never", choices: ["auto", "always", "never"] },
  debug: { help: "show the stack of an error" },
  help: { short: "h", help: "show the help of the verb" },
};

export const verbs: readonly Verb[] = [
  {
    name: "profiles",
    summary: "list the profiles with phase, impact and drift, one line each",
    description: "Lists every VirtPlatformConfig of the cluster. Changes nothing.",
    flags: { "sort-by": { value: "COLUMN", help: "the column to sort by, such as phase" } },
    lists: "profiles",
    examples: ["profiles", "profiles -o wide --sort-by phase", "profiles -o jsonpath={.items[*].name}"],
    load: async () => (await import("./verbs/profiles.ts")).listProfiles,
  },
  {
    name: "plan",
    takes: "NAME",
    summary: "draft a plan and show what it would do",
    description:
      "Sets the action of the profile to DryRun, waits for the plan and shows it. Nothing is applied; an approval that is there is taken back. Ends with 2 when changes wait for a review.",
    flags: {
      set: { value: "KEY=VALUE", help: "an option of the profile, such as mode=Predictive", isRepeated: true },
      timeout: { value: "DURATION", help: "how long to wait for the plan; 60s unless given" },
    },
    examples: ["plan load-aware-rebalancing", "plan virt-higher-density --set memoryToRequestRatio=130"],
    load: async () => (await import("./verbs/plan.ts")).planProfile,
  },
  {
    name: "diff",
    takes: "[NAME]",
    summary: "show the whole diff of the plan, files and units decoded",
    description:
      "Shows what the plan would change, object by object; without a name, what every plan would change. Ends with 2 when there are changes to review.",
    flags: { raw: { help: "the objects as they are stored, without decoding" } },
    examples: ["diff load-aware-rebalancing", "diff virt-higher-density --raw"],
    load: async () => (await import("./verbs/diff.ts")).diffPlan,
  },
  {
    name: "impact",
    takes: "NAME",
    summary: "show which nodes reboot and what becomes of their VMs",
    description: "Shows the advisor's assessment of the plan: pools, nodes, VMs, duration, and what it assumes.",
    flags: {},
    examples: ["impact load-aware-rebalancing"],
    load: async () => (await import("./verbs/impact.ts")).showImpact,
  },
  {
    name: "approve",
    takes: "NAME",
    summary: "approve the plan that is shown",
    description:
      "Shows the summary of the plan and asks. Without a terminal --hash or --yes is required; --hash approves exactly the plan that you reviewed. The API server takes the approval only while the config still shows that very plan; else the verb ends with 3.",
    flags: {
      hash: { value: "HASH", help: "the plan that is meant; at least its first 12 characters" },
      yes: { help: "approve the plan that is shown now without asking" },
    },
    examples: ["approve load-aware-rebalancing", "approve load-aware-rebalancing --hash 3f9a1c0b7d52"],
    load: async () => (await import("./verbs/approve.ts")).approvePlan,
  },
  {
    name: "reject",
    takes: "NAME",
    summary: "reject the plan that is shown",
    description:
      "Takes an approval back and records the hash and the reason on the config. The same plan is then shown as rejected; a new one is offered afresh.",
    flags: {
      reason: { value: "TEXT", help: "the reason, shown to the next reviewer" },
      hash: { value: "HASH", help: "the plan that is meant; at least its first 12 characters" },
    },
    examples: ['reject load-aware-rebalancing --reason "not before the maintenance window"'],
    load: async () => (await import("./verbs/approve.ts")).rejectPlan,
  },
  {
    name: "ignore",
    takes: "NAME",
    summary: "end the management of a profile; what was applied stays",
    description: "Sets the action to Ignore: a running plan stops at once, and nothing that was applied is undone.",
    flags: {},
    examples: ["ignore load-aware-rebalancing"],
    load: async () => (await import("./verbs/approve.ts")).ignoreProfile,
  },
  {
    name: "status",
    takes: "[NAME]",
    summary: "show configs, pools, nodes and what is stuck on one screen",
    description:
      "Shows where each config stands, how far its rollout is, which node is in hand and for how long, what holds it and what comes next. With --wait it ends with 0 when the plan is done, 2 when it waits for a review, 4 when it failed and 5 when the time is over.",
    flags: {
      watch: { short: "w", help: "go on showing it as it changes" },
      wait: { help: "show changes until the plan is done, waits for a review or has failed" },
      timeout: { value: "DURATION", needs: "wait", help: "how long --wait waits; without end unless given" },
    },
    lists: "profiles",
    examples: ["status", "status load-aware-rebalancing --watch", "status load-aware-rebalancing --wait --timeout 2h"],
    load: async () => (await import("./verbs/status.ts")).showStatus,
  },
  {
    name: "drift",
    takes: "[NAME]",
    summary: "show changed fields and who changed them",
    description:
      "Shows every field that is not as the plan left it, and inputs that have moved. Ends with 2 when there are any.",
    flags: { "sort-by": { value: "COLUMN", help: "the column to sort by, such as since" } },
    lists: "profiles",
    examples: ["drift", "drift load-aware-rebalancing -o wide"],
    load: async () => (await import("./verbs/drift.ts")).showDrift,
  },
  {
    name: "doctor",
    takes: "[NAME]",
    summary: "say what holds a pool, and the command that helps",
    description:
      "Lists pools, nodes, VMs and migrations with your rights and says what holds any pool, the worst first, whether a config rolls out or not. What you may not list is named and not assessed. Ends with 6 when a person must act, and with 7 when nothing blocking was found but something could not be checked.",
    flags: { pool: { value: "POOL", help: "only what concerns this pool" } },
    examples: ["doctor", "doctor --pool worker", "doctor load-aware-rebalancing"],
    load: async () => (await import("./verbs/doctor.ts")).showFindings,
  },
  {
    name: "assets",
    takes: "[ASSET]",
    summary: "show each asset of the platform controller: state, why not, contested fields",
    description:
      "Reads the report of the platform controller: the state of each asset and its reason. With the name of an asset, all details of its object.",
    flags: { "sort-by": { value: "COLUMN", help: "the column to sort by, such as state" } },
    lists: "assets",
    examples: ["assets", "assets --sort-by state", "assets swap-enable"],
    load: async () => (await import("./verbs/assets.ts")).showAssets,
  },
  {
    name: "render",
    summary: "show what the platform controller would apply, with why each asset is in or out",
    description:
      "Evaluates every asset through the controller's own code, from files or from the cluster as you may read it. Changes nothing. With -o yaml it prints the objects as documents that kubectl takes.",
    flags: {
      "hco-file": { value: "FILE", help: "a file with the HyperConverged, or -; no cluster is asked" },
      "facts-file": {
        value: "FILE",
        help: "with --hco-file: a file with other objects of the cluster, such as nodes; may be given several times",
        isRepeated: true,
        needs: "hco-file",
      },
      asset: { value: "ASSET", help: "only this asset" },
    },
    examples: ["render", "render --hco-file hco.yaml -o yaml", "render --asset swap-enable"],
    load: async () => (await import("./verbs/render.ts")).renderAssets,
  },
  {
    name: "explain",
    takes: "ASSET",
    summary: "say why an asset is applied or not, and what would change that",
    description:
      "Shows every check of an asset, the fields that would be applied, what the API server says to it in a dry run with your rights, and what would change the outcome. Changes nothing.",
    flags: {
      "hco-file": { value: "FILE", help: "a file with the HyperConverged, or -; no cluster is asked" },
      "facts-file": {
        value: "FILE",
        help: "with --hco-file: a file with other objects of the cluster, such as nodes; may be given several times",
        isRepeated: true,
        needs: "hco-file",
      },
    },
    examples: ["explain swap-enable", "explain swap-enable --hco-file hco.yaml"],
    load: async () => (await import("./verbs/render.ts")).explainAssetVerb,
  },
  {
    name: "enable",
    takes: "[ASSET...]",
    summary: "enable the platform controller, after showing its combined impact",
    description:
      "Shows what the platform controller would apply and what all of it together does to nodes and VMs, and asks. Then it sets the annotation autopilot on the HyperConverged. With names, it enables these assets beside those that are enabled already. Without a terminal --yes is required.",
    flags: { yes: { help: "enable it after the preview without asking" } },
    examples: ["enable", "enable swap-enable node-health-check"],
    load: async () => (await import("./verbs/enable.ts")).enablePlatformAssets,
  },
  {
    name: "console",
    summary: "serve the web console on this machine and print its link",
    description:
      "Serves the pages of the console on 127.0.0.1 until Ctrl-C and prints the link, which opens them once, in one browser. They read and write with your rights.",
    flags: {
      port: { value: "PORT", help: "where to listen, 7070 unless given; if it is busy, the next that is free" },
    },
    examples: ["console", "console --port 8080"],
    isServer: true,
    load: async () => (await import("./verbs/console.ts")).serveConsolePages,
  },
  {
    name: "version",
    summary: "show the version of this program and of the advisor",
    description:
      "Shows the version of this program, and which version of the advisor drafted the plans of the cluster.",
    flags: { client: { help: "this program only; no cluster is asked" } },
    examples: ["version --client"],
    load: async () => (await import("./verbs/version.ts")).showVersion,
  },
  {
    name: "completion",
    takes: "SHELL",
    summary: "print the completion script for bash, zsh or fish",
    description: "Prints a script that completes verbs, flags, and the names of profiles and assets.",
    flags: {},
    examples: ["completion bash"],
    load: async () => (await import("./verbs/completion.ts")).printCompletion,
  },
];
