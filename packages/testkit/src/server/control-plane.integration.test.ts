// @module-tag thorough

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { findBinaries } from "../binaries/obtain-binaries.ts";
import { freePorts, launchControlPlane } from "./control-plane.ts";

async function binaries(): Promise<string> {
  const found = await findBinaries(process.env);
  if (found.kind === "absent") throw new Error("run make controlplane first");
  return found.folder;
}

async function busyPort(): Promise<number> {
  const occupant = createServer().listen(0, "127.0.0.1");
  await once(occupant, "listening");
  onTestFinished(() => void occupant.close());
  return (occupant.address() as AddressInfo).port;
}

const programs = ["etcd", "its peer port", "the API server"];

test.each([0, 1, 2])("retries with other ports if one is taken at the last moment (%#)", async (taken) => {
  const busy = await busyPort();
  const tries: number[][] = [];
  const launched = await launchControlPlane(
    { binaries: await binaries(), outlivesOwner: false, content: new Map() },
    async (count) => {
      const free = [...(await freePorts(count))];
      tries.push(tries.length === 0 ? free.with(taken, busy) : free);
      return tries.at(-1) ?? [];
    },
  );
  await launched.end();
  // Another test may take a free port, which causes a third attempt.
  expect(tries.length, `${programs[taken]} was tried again on other ports`).toBeGreaterThan(1);
});

test("a failed start reports the last output of the programs", async () => {
  const busy = await busyPort();
  const start = launchControlPlane({ binaries: await binaries(), outlivesOwner: false }, async (count) =>
    (await freePorts(count)).with(2, busy),
  );
  await expect(start).rejects.toThrow(
    /the control plane did not start: kube-apiserver ended[^]*address already in use/,
  );
});
