import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden } from "./golden.ts";
import { conflictsOf, create, isThere, remove, removeAt, rivalries, timesTold, yieldsOf } from "./rivals.ts";
import { hcoPath } from "./site.ts";

const managedBy = "platform.kubevirt.io/managed-by";
let golden: Golden;
let operator: RunningProgram;

beforeAll(async () => {
  golden = await startGolden();
  for (const { first } of rivalries) await create(golden, first);
  operator = await golden.start();
});
afterAll(() => golden[Symbol.asyncDispose]());

const label = async (path: string) => (await golden.read(path)).metadata.labels?.[managedBy];
const times = (notes: readonly string[]) => timesTold(operator, notes);
const all = (notes: readonly string[], count: number) => notes.map(() => count);

async function eventsWith(notes: readonly string[]): Promise<readonly JsonMap[]> {
  const { body } = await golden.world.server.request({ path: "/apis/events.k8s.io/v1/events" });
  const events = asList(at(body as JsonMap, "items")) as readonly JsonMap[];
  return notes.flatMap((note) => events.filter((event) => event["note"] === note));
}

/** A pass over the object is made, and it is still ours. */
async function tamperWith(path: string): Promise<void> {
  await golden.edit(path, { metadata: { labels: { [managedBy]: "nobody" } } });
  await golden.until(async () => expect(await label(path)).toBe("virt-platform-operator"));
}

describe.each(rivalries)("by $rule", (rivalry) => {
  const { ours, first, second } = rivalry;
  const [firstConflict, secondConflict] = [conflictsOf(rivalry, first), conflictsOf(rivalry, second)];
  const yields = yieldsOf(rivalry, first);

  test("ours is not created while somebody else's is there, which is told", async () => {
    await expect.poll(() => times(yields)).toEqual(all(yields, 1));
    expect(await isThere(golden, ours.path)).toBe(false);
    await golden.until(async () => {
      const events = await eventsWith(yields);
      expect(events).toMatchObject(yields.map(() => ({ reason: "AlreadyProvided", type: "Normal" })));
    });
  });

  test("ours appears once somebody else's is gone", async () => {
    await remove(golden, first);
    await golden.until(async () => expect(await label(ours.path)).toBe("virt-platform-operator"));
    expect(times(firstConflict)).toEqual(all(firstConflict, 0));
  });

  test("somebody else's beside ours is told with both names and the purpose, and ours stays managed", async () => {
    await create(golden, first);
    await expect.poll(() => times(firstConflict)).toEqual(all(firstConflict, 1));
    await tamperWith(ours.path);
    const { uid } = (await golden.read(hcoPath)).metadata;
    const [kind, , name] = ours.name.split("/");
    const told = { reason: "PurposeConflict", type: "Warning", regarding: { uid }, related: { kind, name } };
    await golden.until(async () =>
      expect(await eventsWith(firstConflict)).toMatchObject(firstConflict.map(() => told)),
    );
  });

  test("what stands is not told again, what went and came back is", async () => {
    await create(golden, second);
    await tamperWith(ours.path);
    expect(times(firstConflict)).toEqual(all(firstConflict, 1));
    await remove(golden, first);
    await expect.poll(() => times(secondConflict)).toEqual(all(secondConflict, 1));
    await create(golden, first);
    await remove(golden, second);
    await expect.poll(() => times(firstConflict)).toEqual(all(firstConflict, 2));
    await tamperWith(ours.path);
    expect([...times(firstConflict), ...times(secondConflict)]).toEqual([
      ...all(firstConflict, 2),
      ...all(secondConflict, 1),
    ]);
  });

  test("ours stays away if it is deleted while somebody else's is there", async () => {
    await removeAt(golden, ours.path);
    await expect.poll(() => times(yields)).toEqual(all(yields, 2));
    expect(await isThere(golden, ours.path)).toBe(false);
    await remove(golden, first);
    await golden.until(async () => expect(await label(ours.path)).toBe("virt-platform-operator"));
    expect(times(firstConflict)).toEqual(all(firstConflict, 2));
  });
});
