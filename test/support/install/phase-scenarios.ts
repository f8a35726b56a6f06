// Takes a VirtPlatformConfig to each phase with one release and defines its takeover and end in the other.

import { configKind, type Status } from "@virt/api";
import { edit, higherDensity, loadAware, paths } from "../advisor.ts";
import { mockCrd } from "../test-cluster.ts";
import {
  applyPlan,
  approvePlan,
  type PhaseScenario,
  pausePool,
  type ScenarioContext,
  type TakenOver,
} from "./phase-scenario.ts";

const exampleProfile = "example-profile";
export const examplePath = "/api/v1/namespaces/openshift-cnv/configmaps/example-config";
const statusPath = (config: string) => `/apis/${configKind.apiVersion}/${configKind.plural}/${config}/status`;

const writes = {
  example: "patch configmaps/example-config",
  descheduler: "patch kubedeschedulers/cluster",
  hco: "patch hyperconvergeds/kubevirt-hyperconverged",
} as const;

const withoutPsi = { loadAware: { enablePSIMetrics: false } };
const isPausedRollout = ({ items = [] }: Status) => items.some(({ message }) => /is paused/.test(message));
const both = (takenOver: TakenOver) => ({ upgrade: takenOver, downgrade: takenOver });

const hasRequestedReview = { phase: "ReviewRequired", review: { reason: "Requested", forced: false } } as const;
const hasUpgradeReview = { phase: "ReviewRequired", review: { reason: "OperatorUpgraded", forced: true } } as const;
const hasInputReview = { phase: "ReviewRequired", review: { reason: "InputChanged", forced: true } } as const;

const pending: PhaseScenario = {
  name: "Pending",
  profile: exampleProfile,
  reach: () => Promise.resolve(),
  betweenReleases: ({ configs }) => configs.create(exampleProfile),
  takenOver: both(hasRequestedReview),
  conclude: (context) => approvePlan(context, exampleProfile),
  concludes: [writes.example],
};

const drafting: PhaseScenario = {
  name: "Drafting",
  profile: exampleProfile,
  reach: async ({ configs, proxy }) => {
    const matching = { resource: "configmaps", isDryRun: true };
    const fault = { kind: "answer", status: 503 } as const;
    proxy.arm({ name: "no dry run", trigger: { on: "every", matching }, fault });
    await configs.create(exampleProfile);
    await configs.until(exampleProfile, "Drafting");
  },
  takenOver: both(hasRequestedReview),
  conclude: (context) => approvePlan(context, exampleProfile),
  concludes: [writes.example],
};

const deschedulerCrd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/kubedeschedulers.operator.openshift.io";

const prerequisiteFailed: PhaseScenario = {
  name: "PrerequisiteFailed",
  profile: loadAware,
  reach: async ({ configs, server }) => {
    await server.request({ method: "DELETE", path: deschedulerCrd });
    await configs.create(loadAware, { options: withoutPsi });
    await configs.until(loadAware, "PrerequisiteFailed");
  },
  takenOver: both({ phase: "PrerequisiteFailed" }),
  conclude: async (context) => {
    await context.server.installCrds([mockCrd("kubedeschedulers-v532")]);
    await context.configs.until(loadAware, "ReviewRequired");
    await approvePlan(context, loadAware);
  },
  concludes: [writes.descheduler],
};

const reviewRequired: PhaseScenario = {
  name: "ReviewRequired",
  profile: higherDensity,
  reach: async ({ configs }) => {
    await configs.create(higherDensity);
    await configs.until(higherDensity, "ReviewRequired");
  },
  takenOver: { upgrade: hasUpgradeReview, downgrade: hasRequestedReview },
  conclude: async ({ configs }) => {
    await configs.edit(higherDensity, { action: "Ignore" });
    await configs.until(higherDensity, "Ignored");
  },
  concludes: [],
};

/** Approves a specific plan by its hash, which is different in the present release. */
const approvedBetween: PhaseScenario = {
  name: "ReviewRequired, approved by its hash while no operator ran",
  profile: exampleProfile,
  reach: async ({ configs }) => {
    await configs.create(exampleProfile);
    await configs.until(exampleProfile, "ReviewRequired");
  },
  betweenReleases: (context) => approveByHash(context, exampleProfile),
  takenOver: { upgrade: hasUpgradeReview, downgrade: { phase: "Completed", writes: [writes.example] } },
  conclude: async (context) => {
    if (context.direction === "upgrade") await approveByHash(context, exampleProfile);
    await context.configs.until(exampleProfile, "Completed");
  },
  concludes: [writes.example],
};

async function approveByHash({ configs }: ScenarioContext, profile: string): Promise<void> {
  const { planHash } = await configs.status(profile);
  await configs.edit(profile, { action: "Apply", approvedPlan: planHash });
}

const parallelMigrations = (parallelMigrationsPerCluster: number) => ({
  spec: { liveMigrationConfig: { parallelMigrationsPerCluster } },
});

const forcedReview: PhaseScenario = {
  name: "ReviewRequired, because an input changed",
  profile: loadAware,
  reach: async (context) => {
    await edit(context.server, paths.hco, parallelMigrations(5));
    await applyPlan(context, loadAware, { options: withoutPsi });
    await edit(context.server, paths.hco, parallelMigrations(20));
    await context.configs.until(loadAware, "ReviewRequired");
  },
  takenOver: both(hasInputReview),
  conclude: (context) => approvePlan(context, loadAware),
  concludes: [writes.descheduler],
};

/** The present release verifies a plan's hash. The previous release follows the recorded approval. */
const begun: PhaseScenario = {
  name: "InProgress, before its first write",
  profile: exampleProfile,
  reach: async ({ configs, proxy }) => {
    const matching = { verb: "apply", resource: "configmaps", isDryRun: false } as const;
    const fault = { kind: "answer", status: 503 } as const;
    proxy.arm({ name: "no write", trigger: { on: "every", matching }, fault });
    await configs.create(exampleProfile, { action: "Apply" });
    await configs.until(exampleProfile, ({ items = [] }) => items.some(({ state }) => state === "InProgress"));
  },
  takenOver: { upgrade: hasUpgradeReview, downgrade: { phase: "Completed", writes: [writes.example] } },
  conclude: async (context) => {
    if (context.direction === "upgrade") await approvePlan(context, exampleProfile);
  },
  concludes: [writes.example],
};

const rolling: PhaseScenario = {
  name: "InProgress, approved by its hash, while nodes roll out",
  profile: loadAware,
  reach: async (context) => {
    await pausePool(context, true);
    await context.configs.create(loadAware);
    await context.configs.until(loadAware, "ReviewRequired");
    await approveByHash(context, loadAware);
    await context.configs.until(loadAware, isPausedRollout);
  },
  takenOver: both({ phase: "InProgress" }),
  conclude: async (context) => {
    await pausePool(context, false);
    await context.configs.until(loadAware, "Completed");
  },
  concludes: [],
};

const completed: PhaseScenario = {
  name: "Completed",
  profile: loadAware,
  reach: (context) => applyPlan(context, loadAware, { options: withoutPsi }),
  takenOver: both({ phase: "Completed" }),
  conclude: () => Promise.resolve(),
  concludes: [],
};

const completedOnNodes: PhaseScenario = {
  name: "Completed, with a rollout behind it",
  profile: higherDensity,
  reach: (context) => applyPlan(context, higherDensity),
  takenOver: both({ phase: "Completed" }),
  conclude: () => Promise.resolve(),
  concludes: [],
};

const completedWithErrors: PhaseScenario = {
  name: "CompletedWithErrors",
  profile: loadAware,
  reach: async (context) => {
    await pausePool(context, true);
    await context.configs.create(loadAware, { action: "Apply", waitTimeout: "1s", failurePolicy: "Continue" });
    await context.configs.until(loadAware, "CompletedWithErrors");
  },
  takenOver: both({ phase: "CompletedWithErrors" }),
  conclude: async (context) => {
    await pausePool(context, false);
    await context.configs.until(loadAware, "Completed");
  },
  concludes: [],
};

const drifted: PhaseScenario = {
  name: "Drifted",
  profile: loadAware,
  reach: async (context) => {
    await applyPlan(context, loadAware, { options: withoutPsi });
    await edit(context.server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 90 } });
    await context.configs.until(loadAware, "Drifted");
  },
  takenOver: both({ phase: "Drifted" }),
  conclude: async ({ configs, server }) => {
    await edit(server, paths.descheduler, { spec: { deschedulingIntervalSeconds: 60 } });
    await configs.until(loadAware, "Completed");
  },
  concludes: [],
};

const failed: PhaseScenario = {
  name: "Failed",
  profile: higherDensity,
  reach: async (context) => {
    await pausePool(context, true);
    await context.configs.create(higherDensity, { action: "Apply", waitTimeout: "1s" });
    await context.configs.until(higherDensity, "Failed");
  },
  takenOver: both({ phase: "Failed" }),
  conclude: async (context) => {
    await pausePool(context, false);
    await context.configs.edit(higherDensity, { action: "DryRun", waitTimeout: "1h" });
    await approvePlan(context, higherDensity);
  },
  concludes: [writes.hco],
};

const ignored: PhaseScenario = {
  name: "Ignored",
  profile: exampleProfile,
  reach: async (context) => {
    await applyPlan(context, exampleProfile);
    await context.configs.edit(exampleProfile, { action: "Ignore" });
    await context.configs.until(exampleProfile, "Ignored");
  },
  takenOver: both({ phase: "Ignored" }),
  conclude: async ({ configs }) => {
    await configs.edit(exampleProfile, { action: "DryRun" });
    await configs.until(exampleProfile, "Completed");
  },
  concludes: [],
};

/** The previous release does not know this review reason. */
const tampered: PhaseScenario = {
  name: "ReviewRequired, because another client wrote its status",
  profile: higherDensity,
  only: "downgrade",
  reach: async ({ configs, server }) => {
    await configs.create(higherDensity);
    const { items = [] } = await configs.until(higherDensity, "ReviewRequired");
    const forged = items.map((item) => ({ ...item, message: "harmless" }));
    await edit(server, statusPath(higherDensity), { status: { items: forged } });
    await configs.until(higherDensity, ({ review }) => review?.reason === "PlanTampered");
    await configs.until(higherDensity, "ReviewRequired");
  },
  takenOver: both({ phase: "ReviewRequired", review: { reason: "PlanTampered", forced: true } }),
  conclude: async ({ configs }) => {
    await configs.edit(higherDensity, { action: "Ignore" });
    await configs.until(higherDensity, "Ignored");
  },
  concludes: [],
};

/** Each round has scenarios of different profiles, which do not interfere. */
export const rounds: readonly (readonly PhaseScenario[])[] = [
  [pending, reviewRequired, rolling],
  [approvedBetween, completed, completedOnNodes],
  [drafting, drifted, tampered],
  [forcedReview, failed, ignored],
  [begun, completedWithErrors],
  [prerequisiteFailed],
];
