// The table of verbs. Help, completion, man page and documentation are generated from it.

import type { CliFlags, Verb } from "./verb.ts";

/** Flags of every verb that accesses a cluster, named as in kubectl. */
export const globalFlags: CliFlags = {
  kubeconfig: { value: "FILE", help: "the kubeconfig file; overrides KUBECONFIG and ~/.kube/config" },
  context: { value: "NAME", help: "the context of the kubeconfig to use" },
  namespace: { value: "NAMESPACE", short: "n", help: "the namespace of the platform controller" },
  as: { value: "USER", help: "the user to impersonate" },
  "as-group": { value: "GROUP", help: "a group to impersonate; can be repeated", isRepeated: true },
  "request-timeout": { value: "DURATION", help: "the timeout of one request, such as 10s; 0 uses the default" },
  output: {
    value: "FORMAT",
    short: "o",
    help: "the output format: table, wide, name, json, yaml, jsonpath=TEMPLATE or markdown",
    choices: ["table", "wide", "name", "json", "yaml", "jsonpath=", "markdown"],
  },
  color: { value: "WHEN", help: "when to use colors: auto, always or never", choices: ["auto", "always", "never"] },
  debug: { help: "show the stack trace of an error" },
  help: { short: "h", help: "show help for the verb" },
};

export const verbs: readonly Verb[] = [
  {
    name: "profiles",
    summary: "list the profiles with phase, impact and drift",
    description: "Lists every VirtPlatformConfig in the cluster. Does not change anything.",
    flags: { "sort-by": { value: "COLUMN", help: "the column to sort by, such as phase" } },
    lists: "profiles",
    examples: ["profiles", "profiles -o wide --sort-by phase", "profiles -o jsonpath={.items[*].name}"],
    load: async () => (await import("./verbs/profiles.ts")).listProfiles,
  },
  {
    name: "plan",
    takes: "NAME",
    summary: "draft a plan and show what it would change",
    description:
      "Sets the action of the profile to DryRun, waits for the plan and shows it. Does not apply anything. Withdraws an earlier approval. Exits with 2 if changes need a review.",
    flags: {
      set: {
        value: "KEY=VALUE",
        help: "an option of the profile, such as mode=Predictive; can be repeated",
        isRepeated: true,
      },
      timeout: { value: "DURATION", help: "how long to wait for the plan (default 60s)" },
    },
    examples: ["plan load-aware-rebalancing", "plan virt-higher-density --set memoryToRequestRatio=130"],
    load: async () => (await import("./verbs/plan.ts")).planProfile,
  },
  {
    name: "diff",
    takes: "[NAME]",
    summary: "show the full diff of a plan, with decoded files and units",
    description:
      "Shows the changes of a plan, object by object. Without NAME, shows the changes of all plans. Exits with 2 if changes need a review.",
    flags: { raw: { help: "show the objects as stored, without decoding" } },
    examples: ["diff load-aware-rebalancing", "diff virt-higher-density --raw"],
    load: async () => (await import("./verbs/diff.ts")).diffPlan,
  },
  {
    name: "impact",
    takes: "NAME",
    summary: "show which nodes reboot and what happens to their VMs",
    description:
      "Shows the advisor's assessment of the plan: pools, nodes, VMs, duration and assumptions. For each blocking VM and pod, it shows the options, least disruptive first.",
    flags: {},
    examples: ["impact load-aware-rebalancing"],
    load: async () => (await import("./verbs/impact.ts")).showImpact,
  },
  {
    name: "approve",
    takes: "NAME",
    summary: "approve the current plan",
    description:
      "Shows a summary of the plan and asks for confirmation. Without a terminal, --hash or --yes is required. --hash approves exactly the plan that you reviewed. If the plan has changed since, the API server rejects the approval and the verb exits with 3.",
    flags: {
      hash: { value: "HASH", help: "the hash of the plan; at least its first 12 characters" },
      yes: { help: "approve the current plan without asking for confirmation" },
    },
    examples: ["approve load-aware-rebalancing", "approve load-aware-rebalancing --hash 3f9a1c0b7d52"],
    load: async () => (await import("./verbs/approve.ts")).approvePlan,
  },
  {
    name: "reject",
    takes: "NAME",
    summary: "reject the current plan",
    description:
      "Withdraws an approval and records the plan hash and the reason on the config. The plan is then shown as rejected. A different plan is offered for review as usual.",
    flags: {
      reason: { value: "TEXT", help: "the reason, shown to the next reviewer" },
      hash: { value: "HASH", help: "the hash of the plan; at least its first 12 characters" },
    },
    examples: ['reject load-aware-rebalancing --reason "not before the maintenance window"'],
    load: async () => (await import("./verbs/approve.ts")).rejectPlan,
  },
  {
    name: "ignore",
    takes: "NAME",
    summary: "stop managing a profile; applied objects stay in place",
    description: "Sets the action to Ignore. A running plan stops at once. Applied changes are not rolled back.",
    flags: {},
    examples: ["ignore load-aware-rebalancing"],
    load: async () => (await import("./verbs/approve.ts")).ignoreProfile,
  },
  {
    name: "status",
    takes: "[NAME]",
    summary: "show the state of configs, pools and nodes, and blocked rollouts",
    description:
      "Shows which platform operators are active, the phase of each config, the progress of its rollout, the node that is being updated, blocking causes and the next step. With --wait, exits with 0 when the plan is complete, 2 when it needs a review, 4 when it failed and 5 when the timeout expires.",
    flags: {
      watch: { short: "w", help: "keep watching for changes" },
      wait: { help: "watch until the plan is complete, needs a review or has failed" },
      timeout: { value: "DURATION", needs: "wait", help: "how long --wait waits (default: no limit)" },
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
      "Shows every field that differs from the applied plan, and every input that has changed. Exits with 2 if there are any.",
    flags: { "sort-by": { value: "COLUMN", help: "the column to sort by, such as since" } },
    lists: "profiles",
    examples: ["drift", "drift load-aware-rebalancing -o wide"],
    load: async () => (await import("./verbs/drift.ts")).showDrift,
  },
  {
    name: "doctor",
    takes: "[NAME]",
    summary: "show what is blocking a pool, and how to fix it",
    description:
      "Checks pools, nodes, VMs and migrations with your permissions and shows what is blocking each pool, most severe first, even if no config is rolling out. Kinds that you cannot list are reported as not assessed. If virt-platform-autopilot runs, names its leading pod. Exits with 6 if a rollout is blocked until you act, and with 7 if no blocking cause was found but some checks were not possible.",
    flags: { pool: { value: "POOL", help: "check only this pool" } },
    examples: ["doctor", "doctor --pool worker", "doctor load-aware-rebalancing"],
    load: async () => (await import("./verbs/doctor.ts")).showFindings,
  },
  {
    name: "assets",
    takes: "[ASSET]",
    summary: "show the state of each asset of the platform controller, with reasons",
    description:
      "Shows the state, the manager and the reason of each asset, from the report of the platform controller. With ASSET, shows all details of its object.",
    flags: { "sort-by": { value: "COLUMN", help: "the column to sort by, such as state" } },
    lists: "assets",
    examples: ["assets", "assets --sort-by state", "assets swap-enable"],
    load: async () => (await import("./verbs/assets.ts")).showAssets,
  },
  {
    name: "render",
    summary: "show what the platform controller would apply, and why",
    description:
      "Evaluates every asset with the controller's own code, from files or from the cluster with your permissions. Does not change anything. With -o yaml, prints manifests that kubectl accepts.",
    flags: {
      "hco-file": {
        value: "FILE",
        help: "a file with the HyperConverged, or - for stdin; the cluster is not contacted",
      },
      "facts-file": {
        value: "FILE",
        help: "with --hco-file: a file with other objects of the cluster, such as nodes; can be repeated",
        isRepeated: true,
        needs: "hco-file",
      },
      asset: { value: "ASSET", help: "show only this asset" },
    },
    examples: ["render", "render --hco-file hco.yaml -o yaml", "render --asset swap-enable"],
    load: async () => (await import("./verbs/render.ts")).renderAssets,
  },
  {
    name: "explain",
    takes: "ASSET",
    summary: "explain why an asset is applied or not, and what would change that",
    description:
      "Shows every check of an asset, the traces of virt-platform-autopilot on its object, the fields that would be applied, the result of a server-side dry run with your permissions, and what would change the outcome. Does not change anything.",
    flags: {
      "hco-file": {
        value: "FILE",
        help: "a file with the HyperConverged, or - for stdin; the cluster is not contacted",
      },
      "facts-file": {
        value: "FILE",
        help: "with --hco-file: a file with other objects of the cluster, such as nodes; can be repeated",
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
    summary: "enable the platform controller after showing its combined impact",
    description:
      "Shows what the platform controller would apply and its combined impact on nodes and VMs, and asks for confirmation. Then sets the annotation platform.kubevirt.io/virt-platform-operator on the HyperConverged. With ASSET, enables the named assets in addition to those already enabled. Without a terminal, --yes is required.",
    flags: { yes: { help: "enable it without asking for confirmation" } },
    examples: ["enable", "enable swap-enable node-health-check"],
    load: async () => (await import("./verbs/enable.ts")).enablePlatformAssets,
  },
  {
    name: "adopt",
    summary: "move objects from virt-platform-autopilot to the platform controller, or back",
    description:
      "Shows the objects of virt-platform-autopilot, compares them with those of the platform controller by a dry run, and asks for confirmation. Then switches the autopilot off and takes over the equal objects, which reboots no nodes. Other objects stay unless --replace names their asset. With --back, the autopilot manages its objects again. Exits with 2 if there is nothing to do, and with 3 if the cluster has changed since the preview or an affected pool is updating.",
    flags: {
      replace: {
        value: "ASSET",
        help: "an asset that replaces its counterpart, which can reboot nodes; can be repeated or a comma-separated list",
        isRepeated: true,
      },
      back: { help: "return the objects to virt-platform-autopilot" },
      yes: { help: "move the objects without asking for confirmation" },
    },
    examples: ["adopt", "adopt --replace swap-enable", "adopt --back"],
    load: async () => (await import("./verbs/adopt.ts")).adoptObjects,
  },
  {
    name: "console",
    summary: "serve the web console on this machine and print its link",
    description:
      "Serves the web console on 127.0.0.1 until you press Ctrl-C, and prints its link. The link works once, in one browser. The console uses your permissions.",
    flags: {
      port: { value: "PORT", help: "the port to listen on (default 7070); if it is in use, the next free port" },
    },
    examples: ["console", "console --port 8080"],
    isServer: true,
    load: async () => (await import("./verbs/console.ts")).serveConsolePages,
  },
  {
    name: "version",
    summary: "show the version of this program and of the advisor",
    description:
      "Shows the version of this program, and the version of the advisor that drafted the plans in the cluster.",
    flags: { client: { help: "show only the version of this program; the cluster is not contacted" } },
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
