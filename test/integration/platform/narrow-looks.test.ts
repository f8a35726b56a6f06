import { asText, at } from "@virt/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Golden, startGolden, untilConverged } from "./golden.ts";
import { openSurface, type Surface } from "./surface.ts";

let golden: Golden;
let surface: Surface;
beforeAll(async () => {
  golden = await startGolden();
  surface = await openSurface(golden);
  await surface.start();
  await untilConverged(golden);
});
afterAll(() => golden[Symbol.asyncDispose]());

const pathOf = (kind: string) => golden.targets.find(({ ref }) => ref.kind === kind)?.path ?? "";

/** How often each object was looked at, by kind and name. */
async function looks(): Promise<Readonly<Record<string, number>>> {
  const lines = await surface.series("reconcile_duration_seconds_count{");
  const counts = lines.map((line) => /kind="(\w+)",name="([^"]+)".* (\d+)$/.exec(line) ?? []);
  return Object.fromEntries(counts.map(([, kind, name, count]) => [`${kind}/${name}`, Number(count)]));
}

/** Which objects were looked at since. */
async function lookedAt(before: Readonly<Record<string, number>>): Promise<readonly string[]> {
  const now = await looks();
  return Object.keys(now).filter((object) => now[object] !== before[object]);
}

/** Nothing has been looked at for a while: what the start brought is over. */
async function rest(): Promise<Readonly<Record<string, number>>> {
  let before = await looks();
  await golden.until(async () => {
    const last = before;
    await new Promise((resolve) => setTimeout(resolve, 500)); // silence is the subject
    before = await looks();
    expect(before).toEqual(last);
  });
  return before;
}

const check = "NodeHealthCheck/virt-node-health-check";

test("a drift makes the operator look at that object and at no other", async () => {
  const path = pathOf("NodeHealthCheck");
  const before = await rest();
  await golden.edit(path, { spec: { minHealthy: "10%" } });
  await golden.until(async () => expect(asText(at(await golden.read(path), "spec", "minHealthy"))).toBe("51%"));
  await golden.until(async () => expect(await lookedAt(before)).toContain(check));
  await rest();
  expect(await lookedAt(before)).toEqual([check]);
});

test("another object of a kind that must be alone concerns ours of that kind only", async () => {
  const before = await rest();
  const path = pathOf("NodeHealthCheck").replace(/[^/]+$/, "");
  const { apiVersion, kind, spec } = await golden.read(pathOf("NodeHealthCheck"));
  const other = { apiVersion, kind, metadata: { name: "theirs" }, spec };
  expect((await golden.world.server.request({ method: "POST", path: path.slice(0, -1), body: other })).status).toBe(
    201,
  );
  await golden.until(async () => expect(await lookedAt(before)).toEqual([check]));
  await golden.world.server.request({ method: "DELETE", path: `${path}theirs` });
});

const hco = "HyperConverged/kubevirt-hyperconverged";
const say = (annotations: Readonly<Record<string, string>>) =>
  golden.edit(pathOf("HyperConverged"), { metadata: { annotations } });

test("what people say to others on the HyperConverged concerns none of the objects that are made from it", async () => {
  const before = await rest();
  await say({ "example.com/note": "new" });
  await golden.until(async () => expect(await lookedAt(before)).toContain(hco));
  await rest();
  expect(await lookedAt(before)).toEqual([hco]);
});

test("what they say to us concerns all of them", async () => {
  const before = await rest();
  await say({ "platform.kubevirt.io/disabled-resources": "[]" });
  await golden.until(async () => expect((await lookedAt(before)).toSorted()).toEqual(Object.keys(before).toSorted()));
});
