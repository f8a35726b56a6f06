// Runs the steps of an adoption until none is left. Each step follows from a new read of the cluster.

import { autopilotName, type KubeObject, type Ref } from "@virt/api";
import {
  type AutopilotMemory,
  findTrue,
  followAutopilot,
  lastAutopilotWrite,
  readMachineConfigPool,
} from "@virt/cluster";
import type { Clock } from "@virt/kube";
import { at, readJson, sleep } from "@virt/objects";
import {
  type AdoptionPlan,
  type AdoptionStep,
  nextAdoptionStep,
  nextReturnStep,
  objectKey,
  objectName,
  type ReturnPlan,
  refOfObject,
} from "@virt/platform";
import { CliError } from "../verb.ts";
import type { AdoptionRequests } from "./adoption-requests.ts";

/** `changed`: the cluster is no longer as the preview showed it. */
export type StepsResult = { readonly kind: "done" } | { readonly kind: "changed"; readonly message: string };

export type StepOptions = {
  readonly requests: AdoptionRequests;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The command, for the next step in messages. */
  readonly program: string;
  readonly onProgress: (text: string) => void;
  /** Returns the report of the platform controller. Undefined without one. */
  readonly readReport: () => Promise<string | undefined>;
};

const longestWaitMs = { "wait-until-off": 600_000, "wait-until-ours": 300_000, "wait-until-idle": 120_000 } as const;
const pollMs = { "wait-until-off": 1_000, "wait-until-ours": 100, "wait-until-idle": 500 } as const;

/** `theirs` are the autopilot's objects. While it writes one of them, it is not off. */
export function runAdoption(plan: AdoptionPlan, theirs: readonly Ref[], options: StepOptions): Promise<StepsResult> {
  const { read } = options.requests;
  const refs = [
    ...theirs,
    ...[...plan.takeOver, ...plan.overwrite].map(({ live }) => refOfObject(live)),
    ...plan.replace.flatMap(refsOf),
  ];
  const pools = plan.pools.map((name) => ({ ...poolKind, name }));
  let memory: AutopilotMemory | undefined;
  return runSteps(options, async () => {
    const hco = await read(refOfObject(plan.hco));
    const live = await readAll([...refs, ...pools], read);
    const deployment = await read(deploymentOf(plan.hco));
    const writes = [...live.values()].flatMap((object) => lastAutopilotWrite(object) ?? []);
    const time = { wallMs: options.clock.wall(), monotonicMs: options.clock.monotonic() };
    const lastWriteMs = Math.max(0, ...writes);
    memory = followAutopilot(memory, { hco: hco ?? plan.hco, deployment, lastWriteMs }, time);
    const found = (ref: Ref) => (ref.kind === "HyperConverged" ? hco : live.get(objectKey(ref)));
    const rollingPools = pools.flatMap((ref) => (isRolling(live.get(objectKey(ref))) ? [ref.name] : []));
    const isAutopilotOff = memory.state !== "Active";
    return nextAdoptionStep(plan, { hco, isAutopilotOff, rollingPools, live: found });
  });
}

export function runReturn(plan: ReturnPlan, options: StepOptions): Promise<StepsResult> {
  const { read } = options.requests;
  return runSteps(options, async () => {
    const hco = await read(refOfObject(plan.hco));
    const live = await readAll(plan.adopted.map(refOfObject), read);
    const found = (ref: Ref) => (ref.kind === "HyperConverged" ? hco : live.get(objectKey(ref)));
    return nextReturnStep(plan, { hco, isControllerIdle: isIdle(await options.readReport()), live: found });
  });
}

async function runSteps(options: StepOptions, next: () => Promise<AdoptionStep>): Promise<StepsResult> {
  const { clock, signal, onProgress, program } = options;
  let waiting: { readonly kind: keyof typeof pollMs; readonly since: number } | undefined;
  let misses = 0;
  for (;;) {
    signal.throwIfAborted();
    const step = await next();
    if (step.kind === "done" || step.kind === "changed") return step;
    if (step.kind === "patch" || step.kind === "delete") {
      waiting = undefined;
      const isWritten = (await takeStep(step, options)) === "written";
      misses = isWritten ? 0 : misses + 1;
      if (isWritten) onProgress(stepText(step));
      else if (misses === mostMisses) return { kind: "changed", message: `${nameOf(step)} keeps changing` };
      continue;
    }
    if (waiting?.kind !== step.kind) {
      waiting = { kind: step.kind, since: clock.monotonic() };
      onProgress(stepText(step));
    } else if (clock.monotonic() - waiting.since > longestWaitMs[step.kind]) throw new CliError(overdue(step, program));
    await sleep(clock, pollMs[step.kind], signal);
  }
}

/** Other clients write status and leases, but not as fast as this. */
const mostMisses = 20;

function nameOf({ object }: WriteStep): string {
  return objectName(refOfObject(object));
}

type WriteStep = Extract<AdoptionStep, { kind: "patch" | "delete" }>;
type WaitStep = Extract<AdoptionStep, { kind: `wait-${string}` }>;

function takeStep(step: WriteStep, { requests }: StepOptions) {
  return step.kind === "patch" ? requests.annotate(step.object, step.patch) : requests.remove(step.object);
}

function stepText(step: WriteStep | WaitStep): string {
  switch (step.kind) {
    case "patch":
      return `Annotated ${nameOf(step)}: ${step.patch.flatMap(changeText).join(", ")}`;
    case "delete":
      return `Deleted ${nameOf(step)}`;
    case "wait-until-off":
      return `Waiting until ${autopilotName} has not written for 30 seconds`;
    case "wait-until-ours":
      return `Waiting until virt-platform-operator has applied ${step.refs.map(objectName).join(", ")}`;
    case "wait-until-idle":
      return "Waiting until virt-platform-operator is idle";
  }
}

type Operation = Extract<AdoptionStep, { kind: "patch" }>["patch"][number];

function changeText(operation: Operation): readonly string[] {
  const [, key] = /^\/metadata\/annotations\/(.+)$/.exec(operation.path) ?? [];
  if (operation.op === "test" || key === undefined) return [];
  const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
  if (operation.op === "remove") return [`${name}-`];
  return typeof operation.value === "string" ? [`${name}=${operation.value}`] : [];
}

function overdue(step: WaitStep, program: string): string {
  const again = "To continue, run the command again";
  switch (step.kind) {
    case "wait-until-off":
      return `${autopilotName} is still writing after 10 minutes. ${again}`;
    case "wait-until-ours":
      return `virt-platform-operator has not applied ${step.refs.map(objectName).join(", ")} after 5 minutes. To see why, run: ${program} assets. ${again}`;
    case "wait-until-idle":
      return `virt-platform-operator is still active after 2 minutes. Check that it is running. ${again}`;
  }
}

const poolKind = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfigPool" };

function deploymentOf({ metadata: { namespace = "" } }: KubeObject): Ref {
  return { apiVersion: "apps/v1", kind: "Deployment", name: autopilotName, namespace };
}

function refsOf({ theirs, ours }: AdoptionPlan["replace"][number]): readonly Ref[] {
  return [refOfObject(theirs), ...ours];
}

async function readAll(refs: readonly Ref[], read: AdoptionRequests["read"]): Promise<ReadonlyMap<string, KubeObject>> {
  const distinct = new Map(refs.map((ref) => [objectKey(ref), ref]));
  const found = await Promise.all(
    [...distinct].map(async ([key, ref]) => {
      const object = await read(ref);
      return object === undefined ? [] : [[key, object] as const];
    }),
  );
  return new Map(found.flat());
}

function isRolling(object: KubeObject | undefined): boolean {
  if (object === undefined) return false;
  const { conditions, machines, target, current } = readMachineConfigPool(object);
  return (
    findTrue(conditions, "Updating") !== undefined || machines.updated !== machines.all || target.name !== current.name
  );
}

/** Without a report, our controller has never run here. */
function isIdle(report: string | undefined): boolean {
  if (report === undefined) return true;
  try {
    return at(readJson(report), "activation", "isActive") !== true;
  } catch {
    return false;
  }
}
