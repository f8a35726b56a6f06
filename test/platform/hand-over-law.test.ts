// The hand-over law with both shipped controllers on a real API server, in generated sequences. governance-laws.test.ts
// runs it a hundred times as often without a server.
// @module-tag thorough

import type { KubeObject, Status } from "@virt/api";
import { lawRuns } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { accountName } from "../support/account.ts";
import { higherDensity as density } from "../support/advisor.ts";
import { shareBothOperators } from "../support/both-operators.ts";

const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const swap = `${machineConfigs}/50-virt-swap-enable`;
const planned = `${machineConfigs}/90-worker-kubelet-swap`;
const config = `/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${density}`;
const record = "/api/v1/namespaces/virt-platform-operator-system/configmaps/virt-platform-operator-governance";

const actions = ["approve", "take back", "preview", "ignore", "delete"] as const;
const switches = ["list", "list more", "unlist", "enable", "disable", "undecided"] as const;
type UserAction = (typeof actions)[number] | (typeof switches)[number] | "restart";

const anyAct: fc.Arbitrary<UserAction> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<UserAction>("approve", "ignore", "delete") },
  { weight: 1, arbitrary: fc.constantFrom<UserAction>("take back", "preview") },
  { weight: 4, arbitrary: fc.constantFrom<UserAction>(...switches) },
  { weight: 1, arbitrary: fc.constant<UserAction>("restart") },
);
/** A sequence takes seconds: 25, or 100 in `make test-laws`. */
const numRuns = lawRuns() < 20_000 ? 25 : 100;
const sequences = fc.sample(
  // Most sequences end like the guide: approve a plan, list the asset, hand it over.
  fc.tuple(
    fc.array(anyAct, { maxLength: 3 }),
    fc.constantFrom<UserAction>("ignore", "delete"),
    fc.array(anyAct, { maxLength: 2 }),
  ),
  { seed: 20_261_116, numRuns },
);

const both = shareBothOperators(20_000);

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 20 });
const read = async (path: string): Promise<KubeObject | undefined> => {
  const { status, body } = await both.server.request({ path });
  return status === 200 ? (body as KubeObject) : undefined;
};

type GovernanceRecord = {
  readonly governed: Readonly<Record<string, string>>;
  readonly released: Readonly<
    Record<string, { readonly since?: { readonly switches: Readonly<Record<string, unknown>> } }>
  >;
  readonly accounted: Readonly<Record<string, { readonly generation: number }>>;
};

async function recorded(): Promise<GovernanceRecord> {
  const { data = {} } = ((await read(record)) ?? {}) as { readonly data?: Readonly<Record<string, string>> };
  return JSON.parse(data["governance.json"] ?? '{"governed":{},"released":{},"accounted":{}}') as GovernanceRecord;
}

class Person {
  activation: string | undefined;
  enable: string | undefined;
  isGoverned = false;
  /** True after a plan released the object, until the user requests it again. */
  isReleased = false;

  get isWanted(): boolean {
    return this.activation !== undefined && this.enable !== "false";
  }
}

const person = new Person();

async function act(what: UserAction): Promise<void> {
  switch (what) {
    case "approve":
    case "take back": {
      const options = what === "approve" ? null : { virtHigherDensity: { enableSwap: false } };
      // The advisor re-creates the config after a deletion, so that a user cannot create it.
      await both.configs.until(density, ({ phase }) => phase !== undefined);
      await both.configs.edit(density, { action: "Apply", options });
      await both.configs.until(density, ({ executedGeneration }) => executedGeneration !== undefined);
      person.isGoverned = true;
      return;
    }
    case "preview":
      if ((await read(config)) !== undefined) await both.configs.edit(density, { action: "DryRun" });
      return;
    case "ignore":
    case "delete":
      return endGovernance(what);
    case "restart":
      await both.platform.kill();
      both.startPlatform();
      return;
    case "list":
    case "list more":
      return annotate({ activation: what === "list" ? "swap-enable" : "swap-enable,node-health-check" });
    case "unlist":
      return annotate({ activation: undefined });
    case "enable":
    case "disable":
    case "undecided":
      return annotate({ enable: what === "undecided" ? undefined : `${what === "enable"}` });
  }
}

async function endGovernance(what: "ignore" | "delete"): Promise<void> {
  if ((await read(config)) === undefined) return;
  if (what === "delete") await both.configs.remove(density);
  else await both.configs.edit(density, { action: "Ignore" });
  if (what === "ignore") await both.configs.until(density, "Ignored");
  // An object that is already as requested stays managed.
  if (person.isGoverned) person.isReleased = !((await read(swap)) !== undefined && person.isWanted);
  person.isGoverned = false;
}

async function annotate(said: {
  readonly activation?: string | undefined;
  readonly enable?: string | undefined;
}): Promise<void> {
  const before = { activation: person.activation, enable: person.enable };
  Object.assign(person, said);
  const { activation, enable } = person;
  await both.annotate({ "virt-platform-operator": activation ?? null, "enable-swap": enable ?? null });
  const isListed = activation !== undefined && before.activation === undefined;
  const isEnabled = enable === "true" && before.enable !== "true";
  if (!person.isGoverned && (isListed || isEnabled)) person.isReleased = false;
}

/** Waits until the platform controller has seen and reconciled everything that it may. */
async function settle(): Promise<void> {
  await until(async () => expect(await unsettled()).toEqual([]));
}

async function unsettled(): Promise<readonly string[]> {
  const there = await read(config);
  const { governed, released, accounted } = await recorded();
  const { executedGeneration, items = [] } = (there?.["status"] ?? {}) as Status;
  const isExecuted = executedGeneration !== undefined || items.some(({ appliedTime }) => appliedTime !== undefined);
  const isOver = there !== undefined && isExecuted && !person.isGoverned;
  const { since } = released["swap-enable"] ?? { since: undefined };
  const said = { autopilot: person.activation === undefined ? "unset" : "named", own: person.enable };
  const isSaid = since?.switches["autopilot"] === said.autopilot && since.switches["own"] === said.own;
  const isLeft = !person.isGoverned && (await read(planned)) !== undefined;
  if (isLeft) await both.server.request({ method: "DELETE", path: planned });
  const isDue = !person.isGoverned && !person.isReleased && person.isWanted && !("swap-enable" in released);
  const waits = {
    governed: "swap-enable" in governed !== person.isGoverned,
    accounted: isOver && accounted[density]?.generation !== there.metadata["generation"],
    said: "swap-enable" in released && !isSaid,
    written: isDue && (isLeft || (await read(swap)) === undefined),
  };
  return Object.entries(waits).flatMap(([what, isWaiting]) => (isWaiting ? what : []));
}

/** Removes the object, so that there is something to write again. Uses pruning if the operator would re-create it. */
async function clear(): Promise<void> {
  const isKept = !person.isReleased && !person.isGoverned && person.isWanted;
  if (isKept) await both.annotate({ "enable-swap": "false", prune: "true" });
  else await both.server.request({ method: "DELETE", path: swap });
  await until(async () => expect(await read(swap)).toBeUndefined());
  Object.assign(person, { activation: undefined, enable: undefined });
  await both.annotate({ "virt-platform-operator": null, "enable-swap": null, prune: null });
}

test("no generated sequence reboots nodes without a request after the hand-over", {
  timeout: numRuns * 30_000, // seconds each, and many more on a busy machine
}, async () => {
  await both.configs.until(density, "Ignored");
  let seen = "";
  let writes = 0;
  let releases = 0;
  const violations: string[] = [];
  for (const [at, [before, end, after]] of sequences.entries()) {
    for (const what of [...before, "approve" as const, "list" as const, end, ...after]) {
      await act(what);
      await settle();
      const { uid = "", resourceVersion = "" } = (await read(swap))?.metadata ?? {};
      const now = uid === "" ? "" : `${uid} ${resourceVersion}`;
      if (now !== seen && now !== "") writes += 1;
      if (now !== seen && person.isReleased) violations.push(`sequence ${at}, ${what}: ${seen} became ${now}`);
      seen = now;
      releases += person.isReleased ? 1 : 0;
    }
    await clear();
    seen = "";
  }
  expect(violations).toEqual([]);
  expect(writes).toBeGreaterThan(numRuns / 10);
  expect(releases).toBeGreaterThan(numRuns / 2);
  const others = both.server
    .audit()
    .filter(
      ({ user, verb, objectRef }) =>
        user.username === accountName("platform") &&
        ["create", "patch", "update", "delete"].includes(verb) &&
        objectRef?.apiGroup === "machineconfiguration.openshift.io" &&
        objectRef.name !== "50-virt-swap-enable",
    );
  expect(others).toEqual([]);
});
