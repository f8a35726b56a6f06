import { both, fieldIs, hasEvent, hasFinding, phaseIs } from "./cluster-reader.ts";
import { moreMigrations } from "./migration-scenario.ts";
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
  readonly cluster: string;
  /** Plurals of the kinds that are absent at the start. */
  readonly missingKinds: readonly string[];
  readonly stages: readonly DemoStage[];
  /** An extra check with CHECK=1. */
  readonly checks?: "browser" | "swap-order";
};

const hyperConverged = "hco kubevirt-hyperconverged -n openshift-cnv";
const missing = "kubedeschedulers";
const healthCheck = "nodehealthcheck virt-node-health-check";
const healthCheckPath = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const fought = "ThrashingDetected";
const opponent = "gitops";

const firstPlan: DemoScenario = {
  about: "approve a plan, watch 12 workers reboot, and see a manual edit as drift (default)",
  cluster: "default",
  missingKinds: [],
  stages: [
    draft(loadAware),
    approve(loadAware, "the plan is approved, and the workers reboot one at a time"),
    tamper,
    putBack,
  ],
  checks: "browser",
};

const stuckDrain: DemoScenario = {
  about: "a VM blocks a drain, and after 2 minutes the advisor reports what to do",
  cluster: "stuck-drain",
  missingKinds: [],
  stages: [
    draft(loadAware),
    approve(
      loadAware,
      "the plan is approved, and the rollout is reported as stuck after 2 minutes of draining",
      hasFinding(loadAware, "VMNotMigratable"),
    ),
    {
      title: "the VM is stopped, and the rollout completes",
      suggest: typeFor(loadAware, unblockCommands),
      isOver: phaseIs(loadAware, "Completed"),
    },
  ],
};

const drift: DemoScenario = {
  about: "undo a manual edit, revert another with a new plan, and then change an input",
  cluster: "three-workers",
  missingKinds: [],
  stages: [
    draft(loadAware),
    approve(loadAware, "the plan is approved and applied"),
    tamper,
    putBack,
    { ...tamper, title: "the object is edited again" },
    {
      title: "a new plan that reverts the edit is drafted",
      suggest: type(showDrift, planCommand(loadAware, "draft a new plan")),
      isOver: phaseIs(loadAware, "ReviewRequired"),
    },
    approve(loadAware, "the plan is approved, and the field has the planned value"),
    {
      title: "the HyperConverged, an input of the plan, changes: a new plan needs a review",
      suggest: type(
        editCommand(
          hyperConverged,
          { liveMigrationConfig: { parallelMigrationsPerCluster: 10 } },
          "allow more migrations",
        ),
      ),
      isOver: phaseIs(loadAware, "ReviewRequired"),
    },
    approve(loadAware, "the new plan runs after it is approved"),
  ],
};

const editWar: DemoScenario = {
  about: "two controllers write the same field, and ours stops and reports the other one",
  cluster: "three-workers",
  missingKinds: [],
  stages: [
    {
      title: "the platform controller is enabled for one object",
      suggest: type({
        command: `kubectl annotate ${hyperConverged} platform.kubevirt.io/virt-platform-operator=node-health-check`,
        about: "enable the platform controller for one object; it is disabled by default",
      }),
      isOver: hasEvent("AssetApplied"),
    },
    {
      title: "manual edits are reverted",
      suggest: type(editCommand(healthCheck, { minHealthy: "10%" }, "edit it manually: the controller corrects it")),
      isOver: both(hasEvent("DriftCorrected"), fieldIs(healthCheckPath, ["spec", "minHealthy"], "51%")),
    },
    {
      title: "another controller repeats the edit: the object is paused, and an event names that controller",
      suggest: type({
        command: `until kubectl get events.events.k8s.io -A --field-selector reason=${fought} -o name | grep -q .; do kubectl patch ${healthCheck} --type=merge --field-manager=${opponent} -p '{"spec":{"minHealthy":"10%"}}'; sleep 1; done`,
        about: "simulates a controller that repeats the edit until the platform controller pauses (30 seconds)",
      }),
      isOver: hasEvent(fought, `by "${opponent}"`),
    },
    {
      title: "the other controller has stopped, and the platform controller corrects the object again",
      suggest: type(
        { command: `${plugin} assets node-health-check`, about: "show what the platform controller reports" },
        {
          command: `kubectl annotate ${healthCheck} platform.kubevirt.io/reconcile-paused-`,
          about: "resume, because the other controller has stopped",
        },
      ),
      isOver: fieldIs(healthCheckPath, ["spec", "minHealthy"], "51%"),
    },
  ],
};

const missingPrerequisite: DemoScenario = {
  about: "the plan reports a missing operator and continues after it is installed",
  cluster: "three-workers",
  missingKinds: [missing],
  stages: [
    {
      title: "the plan reports what is missing",
      suggest: type(planCommand(loadAware, "see what it would change", 4)),
      isOver: phaseIs(loadAware, "PrerequisiteFailed"),
    },
    {
      title: "the operator is installed, and the plan is drafted",
      suggest: type({
        command: `kubectl apply -f config/crd/mocks/${missing}-v532.yaml`,
        about: "simulates the installation of the Descheduler Operator",
      }),
      isOver: phaseIs(loadAware, "ReviewRequired"),
    },
    approve(loadAware, "the plan is approved and applied"),
  ],
};

const pausedPool: DemoScenario = {
  about: "the worker pool is paused: the rollout waits and shows the command that resumes it",
  cluster: "paused-pool",
  missingKinds: [],
  stages: [
    draft(loadAware),
    approve(loadAware, "the plan is approved and waits for the pool", hasFinding(loadAware, "PoolPaused")),
    {
      title: "the pool is resumed, and the rollout completes",
      suggest: typeFor(loadAware, unblockCommands),
      isOver: phaseIs(loadAware, "Completed"),
    },
  ],
};

const compact: DemoScenario = {
  about: "combined control plane and worker nodes get swap, and then overcommit memory",
  cluster: "compact",
  missingKinds: [],
  stages: [
    draft(density),
    approve(density, "the plan is approved: every node gets swap, and then memory is overcommitted"),
  ],
  checks: "swap-order",
};

const twoProfiles: DemoScenario = {
  about: "two plans wait for a review and are approved one after the other",
  cluster: "three-workers",
  missingKinds: [],
  stages: [
    draft(loadAware),
    draft(density),
    {
      ...approve(loadAware, "the first plan is approved and applied, and the second one still waits"),
      suggest: async (cluster) => [
        { command: `${plugin} profiles`, about: "both plans wait for a review" },
        ...(await typeFor(loadAware, reviewCommands)(cluster)),
      ],
      isOver: both(phaseIs(loadAware, "Completed"), phaseIs(density, "ReviewRequired")),
    },
    approve(density, "the second plan is approved and applied"),
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
  ["live-migration", moreMigrations],
]);

export type KnownClusters = {
  readonly names: readonly string[];
  readonly isFile: (path: string) => boolean;
};

/** Returns the first plan's stages for a cluster that has no own stages, or undefined if the name is unknown. */
export function findScenario(name: string, { names, isFile }: KnownClusters): DemoScenario | undefined {
  const found = demoScenarios.get(name);
  if (found !== undefined) return found;
  const { checks: _browser, ...plain } = firstPlan;
  return names.includes(name) || isFile(name)
    ? { ...plain, about: "a first plan on this cluster", cluster: name }
    : undefined;
}

export function listScenarios(clusters: readonly string[]): string {
  const width = Math.max(...[...demoScenarios.keys()].map((name) => name.length));
  const lines = [...demoScenarios].map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
  const others = clusters.filter((name) => !demoScenarios.has(name)).join(", ");
  return [
    "make demo SCENARIO=<name>, where <name> is one of:",
    ...lines,
    "or a cluster for the first-plan scenario: a file, or one of:",
    ...others
      .replaceAll(/(.{80,}?,) /g, "$1\n")
      .split("\n")
      .map((line) => `  ${line}`),
    "SPEED=<factor> runs the simulation faster or slower (default 60). CHECK=1 runs the scenario unattended.",
  ].join("\n");
}
