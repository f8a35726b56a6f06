// The scenarios of the demo: the cluster of each, what is typed at each stage, and how the stage ends.

import { both, fieldIs, hasEvent, hasFinding, phaseIs } from "./cluster-reader.ts";
import {
  approve,
  type DemoStage,
  density,
  draft,
  loadAware,
  putBack,
  showDrift,
  tamper,
  type,
  typeFor,
} from "./stages.ts";
import { editCommand, planCommand, plugin, reviewCommands, unblockCommands } from "./suggestion.ts";

export type DemoScenario = {
  readonly about: string;
  /** A scenario of the simulator, or a file. */
  readonly cluster: string;
  /** Kinds that are not installed at first, by plural. */
  readonly missingKinds: readonly string[];
  readonly stages: readonly DemoStage[];
  /** Checked by CHECK=1 beside the stages. */
  readonly checks?: "browser" | "swap-order";
};

const hyperConverged = "hco kubevirt-hyperconverged -n openshift-cnv";
const missing = "kubedeschedulers";
const healthCheck = "nodehealthcheck virt-node-health-check";
const healthCheckPath = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const fought = "ThrashingDetected";
const opponent = "gitops";

const firstPlan: DemoScenario = {
  about: "a plan is approved, 12 workers reboot, an edit by hand is drift (the default)",
  cluster: "default",
  missingKinds: [],
  stages: [
    draft(loadAware),
    approve(loadAware, "it is approved, and the workers reboot into it one after another"),
    tamper,
    putBack,
  ],
  checks: "browser",
};

const stuckDrain: DemoScenario = {
  about: "a VM that cannot migrate holds a drain: two minutes later the advisor says what to do",
  cluster: "stuck-drain",
  missingKinds: [],
  stages: [
    draft(loadAware),
    approve(
      loadAware,
      "it is approved, and two minutes into a drain the rollout is stalled",
      hasFinding(loadAware, "VMNotMigratable"),
    ),
    {
      title: "the VM is stopped, and the rollout goes on to its end",
      suggest: typeFor(loadAware, unblockCommands),
      isOver: phaseIs(loadAware, "Completed"),
    },
  ],
};

const drift: DemoScenario = {
  about: "an edit is undone, another is planned away, and then an input of the plan moves",
  cluster: "three-workers",
  missingKinds: [],
  stages: [
    draft(loadAware),
    approve(loadAware, "it is approved and carried out"),
    tamper,
    putBack,
    { ...tamper, title: "it is edited once more" },
    {
      title: "this time a new plan is drafted, which takes the edit back",
      suggest: type(showDrift, planCommand(loadAware, "plan again")),
      isOver: phaseIs(loadAware, "ReviewRequired"),
    },
    approve(loadAware, "it is approved, and the field is as planned"),
    {
      title: "the HyperConverged changes, from which the plan was made: a new plan waits",
      suggest: type(
        editCommand(
          hyperConverged,
          { liveMigrationConfig: { parallelMigrationsPerCluster: 10 } },
          "somebody allows more migrations",
        ),
      ),
      isOver: phaseIs(loadAware, "ReviewRequired"),
    },
    approve(loadAware, "nothing happens before it is approved as well"),
  ],
};

const editWar: DemoScenario = {
  about: "two controllers write one field: ours gives way, and names the other one",
  cluster: "three-workers",
  missingKinds: [],
  stages: [
    {
      title: "the platform controller is asked to keep one object",
      suggest: type({
        command: `kubectl annotate ${hyperConverged} platform.kubevirt.io/autopilot=node-health-check`,
        about: "let the platform controller keep one object; it idles until it is asked",
      }),
      isOver: hasEvent("AssetApplied"),
    },
    {
      title: "an edit by hand is corrected",
      suggest: type(editCommand(healthCheck, { minHealthy: "10%" }, "somebody edits it by hand: it is put back")),
      isOver: both(hasEvent("DriftCorrected"), fieldIs(healthCheckPath, ["spec", "minHealthy"], "51%")),
    },
    {
      title: "another controller insists: the object is paused, and an event names the opponent",
      suggest: type({
        command: `until kubectl get events.events.k8s.io -A --field-selector reason=${fought} -o name | grep -q .; do kubectl patch ${healthCheck} --type=merge --field-manager=${opponent} -p '{"spec":{"minHealthy":"10%"}}'; sleep 1; done`,
        about: "plays another controller that insists, until the platform controller gives way (half a minute)",
      }),
      isOver: hasEvent(fought, `by "${opponent}"`),
    },
    {
      title: "the other one has stopped, and the object is corrected again",
      suggest: type(
        { command: `${plugin} assets node-health-check`, about: "what does the platform controller say of it?" },
        {
          command: `kubectl annotate ${healthCheck} platform.kubevirt.io/reconcile-paused-`,
          about: "the other one has stopped: resume",
        },
      ),
      isOver: fieldIs(healthCheckPath, ["spec", "minHealthy"], "51%"),
    },
  ],
};

const missingPrerequisite: DemoScenario = {
  about: "the plan says which operator is missing, and goes on when it is installed",
  cluster: "three-workers",
  missingKinds: [missing],
  stages: [
    {
      title: "the preview says what is missing",
      suggest: type(planCommand(loadAware, "what would it change?", 4)),
      isOver: phaseIs(loadAware, "PrerequisiteFailed"),
    },
    {
      title: "it is installed, and the plan is drafted",
      suggest: type({
        command: `kubectl apply -f config/crd/mocks/${missing}-v532.yaml`,
        about: "plays the installation of the Descheduler Operator",
      }),
      isOver: phaseIs(loadAware, "ReviewRequired"),
    },
    approve(loadAware, "it is approved and carried out"),
  ],
};

const pausedPool: DemoScenario = {
  about: "the worker pool is paused: the rollout waits, and says which command resumes it",
  cluster: "paused-pool",
  missingKinds: [],
  stages: [
    draft(loadAware),
    approve(loadAware, "it is approved, and waits for the pool", hasFinding(loadAware, "PoolPaused")),
    {
      title: "the pool is resumed, and the rollout goes on to its end",
      suggest: typeFor(loadAware, unblockCommands),
      isOver: phaseIs(loadAware, "Completed"),
    },
  ],
};

const compact: DemoScenario = {
  about: "nodes that are control plane and workers at once get swap, then overcommit memory",
  cluster: "compact",
  missingKinds: [],
  stages: [draft(density), approve(density, "it is approved: swap on every node, then memory is overcommitted")],
  checks: "swap-order",
};

const twoProfiles: DemoScenario = {
  about: "two plans wait side by side and are approved one after the other",
  cluster: "three-workers",
  missingKinds: [],
  stages: [
    draft(loadAware),
    draft(density),
    {
      ...approve(loadAware, "the first is approved and carried out; the second still waits"),
      suggest: async (cluster) => [
        { command: `${plugin} profiles`, about: "both plans wait" },
        ...(await typeFor(loadAware, reviewCommands)(cluster)),
      ],
      isOver: both(phaseIs(loadAware, "Completed"), phaseIs(density, "ReviewRequired")),
    },
    approve(density, "the second is approved and carried out as well"),
  ],
};

export const demoScenarios: ReadonlyMap<string, DemoScenario> = new Map([
  ["first-plan", firstPlan],
  ["stuck-drain", stuckDrain],
  ["drift", drift],
  ["edit-war", editWar],
  ["missing-prerequisite", missingPrerequisite],
  ["paused-pool", pausedPool],
  ["compact", compact],
  ["two-profiles", twoProfiles],
]);

/** Where a scenario can play: the simulator's own clusters by name, and whether there is such a file. */
export type KnownClusters = {
  readonly names: readonly string[];
  readonly isFile: (path: string) => boolean;
};

/** Any cluster shows the first plan as well. Undefined: there is nothing of that name. */
export function findScenario(name: string, { names, isFile }: KnownClusters): DemoScenario | undefined {
  const found = demoScenarios.get(name);
  if (found !== undefined) return found;
  const { checks: _browser, ...plain } = firstPlan;
  return names.includes(name) || isFile(name)
    ? { ...plain, about: "a first plan on this cluster", cluster: name }
    : undefined;
}

/** One line for each. */
export function listScenarios(clusters: readonly string[]): string {
  const width = Math.max(...[...demoScenarios.keys()].map((name) => name.length));
  const lines = [...demoScenarios].map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
  const others = clusters.filter((name) => !demoScenarios.has(name)).join(", ");
  return [
    "make demo SCENARIO=<name>, where the name is one of",
    ...lines,
    "or a cluster on which the first plan is shown: a file, or one of",
    ...others
      .replaceAll(/(.{80,}?,) /g, "$1\n")
      .split("\n")
      .map((line) => `  ${line}`),
    "SPEED=<factor> makes simulated time faster or slower (60); CHECK=1 plays it without a person.",
  ].join("\n");
}
