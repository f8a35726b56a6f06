import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/objects";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FullCluster, startFullCluster } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { conflictsOf, countReports, create, isThere, remove, removeAt, rivalries, yieldsOf } from "./rivals.ts";

const managedBy = "platform.kubevirt.io/managed-by";
let fullCluster: FullCluster;
let operator: RunningProgram;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  for (const { first } of rivalries) await create(fullCluster, first);
  operator = await fullCluster.start();
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const label = async (path: string) => (await fullCluster.read(path)).metadata.labels?.[managedBy];
const times = (notes: readonly string[]) => countReports(operator, notes);
const all = (notes: readonly string[], count: number) => notes.map(() => count);

async function eventsWith(notes: readonly string[]): Promise<readonly JsonMap[]> {
  const { body } = await fullCluster.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  const events = asList(at(body as JsonMap, "items")) as readonly JsonMap[];
  return notes.flatMap((note) => events.filter((event) => event["note"] === note));
}

/** Waits for the correction of an edit, which shows that the object is still managed. */
async function tamperWith(path: string): Promise<void> {
  await fullCluster.edit(path, { metadata: { labels: { [managedBy]: "nobody" } } });
  await fullCluster.until(async () => expect(await label(path)).toBe("virt-platform-operator"));
}

describe.each(rivalries)("by $rule", (rivalry) => {
  const { ours, first, second } = rivalry;
  const [firstConflict, secondConflict] = [conflictsOf(rivalry, first), conflictsOf(rivalry, second)];
  const yields = yieldsOf(rivalry, first);

  test("reports a foreign object and does not create its own", async () => {
    await expect.poll(() => times(yields)).toEqual(all(yields, 1));
    expect(await isThere(fullCluster, ours.path)).toBe(false);
    await fullCluster.until(async () => {
      const events = await eventsWith(yields);
      expect(events).toMatchObject(yields.map(() => ({ reason: "AlreadyProvided", type: "Normal" })));
    });
  });

  test("creates its object after the foreign one is removed", async () => {
    await remove(fullCluster, first);
    await fullCluster.until(async () => expect(await label(ours.path)).toBe("virt-platform-operator"));
    expect(times(firstConflict)).toEqual(all(firstConflict, 0));
  });

  test("reports a later foreign object and keeps managing its own", async () => {
    await create(fullCluster, first);
    await expect.poll(() => times(firstConflict)).toEqual(all(firstConflict, 1));
    await tamperWith(ours.path);
    const { uid } = (await fullCluster.read(hcoPath)).metadata;
    const [kind] = ours.name.split(" ");
    const name = ours.path.split("/").at(-1);
    const reports = { reason: "PurposeConflict", type: "Warning", regarding: { uid }, related: { kind, name } };
    await fullCluster.until(async () =>
      expect(await eventsWith(firstConflict)).toMatchObject(firstConflict.map(() => reports)),
    );
  });

  test("reports a conflict again only after it was resolved", async () => {
    await create(fullCluster, second);
    await tamperWith(ours.path);
    expect(times(firstConflict)).toEqual(all(firstConflict, 1));
    await remove(fullCluster, first);
    await expect.poll(() => times(secondConflict)).toEqual(all(secondConflict, 1));
    await create(fullCluster, first);
    await remove(fullCluster, second);
    await expect.poll(() => times(firstConflict)).toEqual(all(firstConflict, 2));
    await tamperWith(ours.path);
    expect([...times(firstConflict), ...times(secondConflict)]).toEqual([
      ...all(firstConflict, 2),
      ...all(secondConflict, 1),
    ]);
  });

  test("does not re-create its deleted object beside a foreign one", async () => {
    await removeAt(fullCluster, ours.path);
    await expect.poll(() => times(yields)).toEqual(all(yields, 2));
    expect(await isThere(fullCluster, ours.path)).toBe(false);
    await remove(fullCluster, first);
    await fullCluster.until(async () => expect(await label(ours.path)).toBe("virt-platform-operator"));
    expect(times(firstConflict)).toEqual(all(firstConflict, 2));
  });
});
