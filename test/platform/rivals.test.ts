import type { JsonMap } from "@virt/api";
import { asList, at } from "@virt/objects";
import { describe, expect, test } from "vitest";
import { hcoPath } from "../support/platform-cluster.ts";
import { type RunningPlatform, sharePlatform } from "../support/running-platform.ts";
import { conflictsOf, countReports, create, isThere, remove, removeAt, rivalries, yieldsOf } from "./rivals.ts";

const managedBy = "platform.kubevirt.io/managed-by";
const platform = sharePlatform({ until: "started", prepare: createFirst });

async function createFirst(cluster: RunningPlatform): Promise<void> {
  for (const { first } of rivalries) await create(cluster, first);
}

const label = async (path: string) => (await platform.read(path)).metadata.labels?.[managedBy];
const times = (notes: readonly string[]) => countReports(platform.operator, notes);
const all = (notes: readonly string[], count: number) => notes.map(() => count);

async function eventsWith(notes: readonly string[]): Promise<readonly JsonMap[]> {
  const { body } = await platform.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  const events = asList(at(body as JsonMap, "items")) as readonly JsonMap[];
  return notes.flatMap((note) => events.filter((event) => event["note"] === note));
}

describe.each(rivalries)("by $rule", (rivalry) => {
  const { ours, first, second } = rivalry;
  const [firstConflict, secondConflict] = [conflictsOf(rivalry, first), conflictsOf(rivalry, second)];
  const yields = yieldsOf(rivalry, first);

  test("reports a foreign object and does not create its own", async () => {
    await expect.poll(() => times(yields)).toEqual(all(yields, 1));
    expect(await isThere(platform, ours.path)).toBe(false);
    await platform.until(async () => {
      const events = await eventsWith(yields);
      expect(events).toMatchObject(yields.map(() => ({ reason: "AlreadyProvided", type: "Normal" })));
    });
  });

  test("creates its object after the foreign one is removed", async () => {
    await remove(platform, first);
    await platform.until(async () => expect(await label(ours.path)).toBe("virt-platform-operator"));
    expect(times(firstConflict)).toEqual(all(firstConflict, 0));
  });

  test("reports a later foreign object and keeps managing its own", async () => {
    await create(platform, first);
    await expect.poll(() => times(firstConflict)).toEqual(all(firstConflict, 1));
    await platform.untilCorrected(ours.path);
    const { uid } = (await platform.read(hcoPath)).metadata;
    const [kind] = ours.name.split(" ");
    const name = ours.path.split("/").at(-1);
    const reports = { reason: "PurposeConflict", type: "Warning", regarding: { uid }, related: { kind, name } };
    await platform.until(async () =>
      expect(await eventsWith(firstConflict)).toMatchObject(firstConflict.map(() => reports)),
    );
  });

  test("reports a conflict again only after it was resolved", async () => {
    await create(platform, second);
    await platform.untilCorrected(ours.path);
    expect(times(firstConflict)).toEqual(all(firstConflict, 1));
    await remove(platform, first);
    await expect.poll(() => times(secondConflict)).toEqual(all(secondConflict, 1));
    await create(platform, first);
    await remove(platform, second);
    await expect.poll(() => times(firstConflict)).toEqual(all(firstConflict, 2));
    await platform.untilCorrected(ours.path);
    expect([...times(firstConflict), ...times(secondConflict)]).toEqual([
      ...all(firstConflict, 2),
      ...all(secondConflict, 1),
    ]);
  });

  test("does not re-create its deleted object beside a foreign one", async () => {
    await removeAt(platform, ours.path);
    await expect.poll(() => times(yields)).toEqual(all(yields, 2));
    expect(await isThere(platform, ours.path)).toBe(false);
    await remove(platform, first);
    await platform.until(async () => expect(await label(ours.path)).toBe("virt-platform-operator"));
    expect(times(firstConflict)).toEqual(all(firstConflict, 2));
  });
});
