import { poolVariable, startServerPool } from "@virt/testkit";

/** Collects garbage only at 1 GiB: an API server lives for minutes and would spend a fifth of its time on it. */
const rarelyCollected = { GOGC: "off", GOMEMLIMIT: "1GiB" };

export async function setup(): Promise<() => Promise<void>> {
  Object.assign(process.env, rarelyCollected);
  const { socket, stop } = await startServerPool();
  process.env[poolVariable] = socket;
  return stop;
}
