// One pool of control planes for all files of a test run: vitest starts it before the first file, and ends it after the last.

import { poolVariable, startServerPool } from "@virt/testkit";

/** An API server lives for minutes here, and a fifth of its work would be to collect garbage: it may wait for a GiB of it. */
const rarelyCollected = { GOGC: "off", GOMEMLIMIT: "1GiB" };

export async function setup(): Promise<() => Promise<void>> {
  Object.assign(process.env, rarelyCollected);
  const { socket, stop } = await startServerPool();
  process.env[poolVariable] = socket; // workers inherit it
  return stop;
}
