// What a newcomer may type next, for each phase of a VirtPlatformConfig: the commands of the workflow guide.

import type { Action, Phase, VirtPlatformConfig } from "@virt/api";
import { acts } from "./platform.ts";

export type Try = {
  readonly command: string;
  readonly about: string;
  /** It goes on until somebody ends it. */
  readonly isWatch?: boolean;
};

export const missingAtFirst = "kubedeschedulers";

export const look: Try = { command: "kubectl get vpconf", about: "the profiles that the advisor offers" };

export function nextTries(config: VirtPlatformConfig): readonly Try[] {
  const { phase } = config.status ?? {};
  return phase === undefined ? [] : (byPhase[phase]?.(config) ?? []);
}

type Tries = (config: VirtPlatformConfig) => readonly Try[];

const byPhase: Readonly<Partial<Record<Phase, Tries>>> = {
  Ignored: ({ metadata: { name } }) => [setAction(name, "DryRun", "what would it change?")],
  PrerequisiteFailed: () => [
    {
      command: `kubectl apply -f config/crd/mocks/${missingAtFirst}-v532.yaml`,
      about: "plays the installation of the Descheduler Operator",
    },
  ],
  ReviewRequired: ({ metadata: { name }, spec, status }) => {
    const isWithheld = spec.action === "Apply" && status?.review?.forced === true;
    return [
      diffs(name),
      ...(isWithheld ? [setAction(name, "DryRun", "nobody asked for this plan: acknowledge it,")] : []),
      setAction(name, "Apply", isWithheld ? "and carry it out" : "carry it out"),
    ];
  },
  InProgress: ({ status }) =>
    status?.impactSeverity === "High"
      ? [{ command: "kubectl get nodes --watch", about: "one worker after the other", isWatch: true }]
      : [],
  Completed: ({ metadata: { name } }) => afterCompletion[name] ?? [],
  Drifted: ({ metadata: { name } }) => [
    diffs(name),
    ...(undo[name] ?? []),
    setAction(name, "DryRun", "or plan it anew, and then Apply"),
  ],
  CompletedWithErrors: ({ metadata: { name } }) => [whole(name)],
  Failed: ({ metadata: { name } }) => [whole(name)],
};

const descheduler = "kubectl patch kubedescheduler cluster -n openshift-kube-descheduler-operator --type=merge";

const afterCompletion: Readonly<Record<string, readonly Try[]>> = {
  "load-aware-rebalancing": [
    { command: `${descheduler} -p '{"spec":{"deschedulingIntervalSeconds":180}}'`, about: "somebody edits by hand" },
    {
      command: `kubectl patch hco kubevirt-hyperconverged -n openshift-cnv --type=merge -p '{"spec":{"liveMigrationConfig":{"parallelMigrationsPerCluster":10}}}'`,
      about: "or changes what the plan was made from",
    },
    setAction("virt-higher-density", "DryRun", "or on to the other profile"),
    ...acts.slice(0, 1).map(({ typed }) => typed),
  ],
  "virt-higher-density": [
    { command: "kubectl get machineconfig 90-worker-kubelet-swap -o yaml", about: "what the workers got" },
  ],
};

const undo: Readonly<Record<string, readonly Try[]>> = {
  "load-aware-rebalancing": [
    { command: `${descheduler} -p '{"spec":{"deschedulingIntervalSeconds":60}}'`, about: "put it back by hand," },
  ],
};

function setAction(name: string, action: Action, about: string): Try {
  const patch = JSON.stringify([{ op: "replace", path: "/spec/action", value: action }]);
  return { command: `kubectl patch virtplatformconfig ${name} --type=json -p='${patch}'`, about };
}

function diffs(name: string): Try {
  const template = "{range .status.items[*]}{.diff}{end}";
  return { command: `kubectl get vpconf ${name} -o jsonpath='${template}'`, about: "read it" };
}

function whole(name: string): Try {
  return { command: `kubectl get vpconf ${name} -o yaml`, about: "what went wrong" };
}
