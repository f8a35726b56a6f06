// Brings one control plane up: etcd and kube-apiserver under a keeper, until the API server says that it is ready.

import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Authority, issueAuthority, issueClient, issueServer } from "@virt/kube";
import { auditPolicy } from "./audit.ts";
import { makeFolder } from "./folder.ts";
import { type Kept, keep } from "./kept.ts";
import { freePorts } from "./ports.ts";
import { files, programsOf } from "./programs.ts";
import { openWire } from "./wire.ts";

export type Launched = Kept & {
  readonly url: string;
  readonly authority: Authority;
};

/** Certificates of a control plane that lives for minutes: valid since yesterday, as clocks differ, and for ten years. */
export function validity(now: number) {
  const day = 86_400_000;
  return { from: new Date(now - day), until: new Date(now + 3650 * day) };
}

/** A port may be taken between finding it free and using it. */
const attempts = 3;
const patienceMs = 60_000;

export type LaunchSettings = { readonly binaries: string; readonly outlivesOwner: boolean };

export async function launch(settings: LaunchSettings, choosePorts = freePorts): Promise<Launched> {
  for (let attempt = 1; ; attempt++) {
    const [etcd = 0, peer = 0, api = 0] = await choosePorts(3);
    const launched = await start(settings, { etcd, peer, api });
    const trouble = await readiness(launched);
    if (trouble === undefined) return launched;
    const logs = ["etcd", "kube-apiserver"].map((name) => lastLines(join(launched.folder, `${name}.log`)));
    await launched.end();
    const isPortTaken = logs.some((log) => log.includes("address already in use"));
    if (!isPortTaken || attempt === attempts)
      throw new Error(`the control plane did not start: ${trouble}\n${logs.join("\n")}`);
  }
}

type Ports = { readonly etcd: number; readonly peer: number; readonly api: number };

async function start({ binaries, outlivesOwner }: LaunchSettings, ports: Ports): Promise<Launched> {
  const authority = issueAuthority("test control plane", validity(Date.now()));
  const kept = await keep((keeper) => {
    const folder = makeFolder(keeper);
    writeFiles(folder, authority);
    return { folder, programs: programsOf({ binaries, folder, ports }) };
  }, outlivesOwner);
  return { ...kept, authority, url: `https://127.0.0.1:${ports.api}` };
}

function writeFiles(folder: string, authority: Authority): void {
  const server = issueServer(authority, ["127.0.0.1", "localhost"], validity(Date.now()));
  const tokenKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const contents = {
    [files.authority]: authority.certificate,
    [files.serverCertificate]: server.certificate,
    [files.serverKey]: server.key,
    [files.tokenSigningKey]: tokenKey.export({ type: "sec1", format: "pem" }),
    [files.auditPolicy]: JSON.stringify(auditPolicy),
  };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content, { mode: 0o600 });
}

/** Undefined once the server is ready, else why it is not. */
async function readiness({ url, authority, failure }: Launched): Promise<string | undefined> {
  const probe = openWire(
    url,
    authority.certificate,
    issueClient(authority, "probe", ["system:masters"], validity(Date.now())),
  );
  const deadline = AbortSignal.timeout(patienceMs);
  const failed = failure.then((why) => ({ why }));
  try {
    while (!deadline.aborted) {
      const answer = await Promise.race([failed, probe.request({ path: "/readyz" }).catch(() => undefined)]);
      if (answer !== undefined && "why" in answer) return answer.why;
      if (answer?.status === 200) return undefined;
      await wait(25); // polls for the state; the API server has no way to call back
    }
    return `not ready after ${patienceMs / 1000} s`;
  } finally {
    probe.close();
  }
}

function lastLines(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-8).join("\n");
}
