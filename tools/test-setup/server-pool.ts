import { poolVariable, startServerPool } from "@virt/testkit";

/** Collects garbage only above 1 GiB. Otherwise, an API server would spend a fifth of its short life on garbage collection. */
const rarelyCollected = { GOGC: "off", GOMEMLIMIT: "1GiB" };

export async function setup(): Promise<() => Promise<void>> {
  Object.assign(process.env, rarelyCollected);
  const { socket, stop } = await startServerPool();
  process.env[poolVariable] = socket;
  return stop;
}
