// Plays the demo without a person: types what the demo suggests, from the first look to drift and back.

import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { configKind, type Phase, type VirtPlatformConfig } from "@virt/api";
import type { KubeObject } from "@virt/engine";
import type { Server } from "@virt/testkit";
import { acts, healthyIn, keptObject, platformNews } from "./platform.ts";
import { type Simulated, step } from "./steps.ts";
import { look, nextTries, type Try } from "./tries.ts";

const name = "load-aware-rebalancing";
const patienceMs = 300_000;

/** One scene: which of the suggestions are typed, and how it ends. */
type Scene = { readonly title: string; readonly pick: (tries: readonly Try[]) => readonly Try[]; readonly ends: Phase };

const everything = (tries: readonly Try[]) => tries;
const only = (word: string) => (tries: readonly Try[]) => tries.filter(({ command }) => command.includes(word));

const scenes: readonly Scene[] = [
  { title: "a preview says what is missing", pick: everything, ends: "PrerequisiteFailed" },
  { title: "it is installed, and a plan is drafted", pick: everything, ends: "ReviewRequired" },
  { title: "it is approved, and all workers reboot into it", pick: everything, ends: "Completed" },
  { title: "an edit by hand is drift", pick: only("deschedulingIntervalSeconds"), ends: "Drifted" },
  { title: "put back, it is no drift any more", pick: only("deschedulingIntervalSeconds"), ends: "Completed" },
  { title: "HCO changes, and the new plan waits", pick: only("liveMigrationConfig"), ends: "ReviewRequired" },
  { title: "acknowledged, it is carried out", pick: everything, ends: "Completed" },
];

export async function rehearse({ server, programs }: Simulated, probes: number): Promise<void> {
  const failed = programs.failure.then((why) => Promise.reject(new Error(why)));
  const until = async (check: () => Promise<boolean>) => {
    const deadline = AbortSignal.timeout(patienceMs);
    while (!(await Promise.race([check(), failed]))) {
      if (deadline.aborted) throw new Error(`not so after ${patienceMs / 1000} s`);
      await wait(100); // polls for the state
    }
  };
  await step("the operator is ready", () => until(() => isReady(probes)));
  await step("the profiles are on offer", () => until(async () => (await read(server))?.status?.phase === "Ignored"));
  await type(server, look);
  for (const { title, pick, ends } of scenes) {
    await step(title, async (update) => {
      const before = await read(server);
      const typed = before === undefined ? [] : pick(nextTries(before));
      if (typed.length === 0) throw new Error(`the demo suggests nothing in phase ${before?.status?.phase}`);
      for (const one of typed) await type(server, one);
      await until(async () => {
        const { status } = (await read(server)) ?? {};
        update(status?.items?.find(({ state }) => state === "InProgress")?.message ?? status?.phase ?? "");
        if (status?.phase === "Failed") throw new Error(JSON.stringify(status.conditions));
        return status?.phase === ends;
      });
    });
  }
  for (const { title, typed, ends, reason } of acts) {
    await step(title, async () => {
      await type(server, typed);
      await until(async () => (await hasTold(server, reason)) && (await healthy(server)) === ends);
    });
  }
}

async function healthy(server: Server): Promise<string | undefined> {
  const { status, body } = await server.request({ path: keptObject });
  return status === 200 ? healthyIn(body as KubeObject) : undefined;
}

/** The platform controller has said that it did this. */
async function hasTold(server: Server, reason: string): Promise<boolean> {
  const { body } = await server.request({ path: "/apis/events.k8s.io/v1/events" });
  const told = ((body as { readonly items?: readonly KubeObject[] }).items ?? []).map(platformNews);
  return told.some((one) => one?.reason === reason);
}

async function read(server: Server): Promise<VirtPlatformConfig | undefined> {
  const path = `/apis/${configKind.apiVersion}/${configKind.plural}/${name}`;
  const { status, body } = await server.request({ path });
  return status === 200 ? (body as VirtPlatformConfig) : undefined;
}

async function type({ binaries, kubeconfig }: Server, { command, isWatch = false }: Try): Promise<void> {
  if (isWatch) return;
  const env = { ...process.env, PATH: `${binaries}:${process.env["PATH"]}`, KUBECONFIG: kubeconfig };
  await promisify(execFile)("sh", ["-c", command], { env });
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false; // not listening yet
  }
}
