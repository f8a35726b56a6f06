import { fieldManagers, type KubeObject, managedByLabel } from "@virt/api";
import { appliedBy, isNoFields, readOwners } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { beforeAll, expect, test } from "vitest";
import { runCommand } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const platform = sharePlatform();
beforeAll(() => platform.operator.kill());

function withoutMarks({ metadata, ...rest }: KubeObject) {
  const { [managedByLabel.key]: _label, ...labels } = metadata.labels ?? {};
  const { [objectAnnotations.state]: _state, ...annotations } = metadata.annotations ?? {};
  return { ...rest, labels, annotations };
}

const readAll = () => Promise.all(platform.targets.map(({ path }) => platform.read(path)));

test("release removes all our marks and changes nothing else", async () => {
  const paused = objectPaths.check;
  const state = (await platform.read(paused)).metadata.annotations?.[objectAnnotations.state] ?? "";
  const annotations = {
    [objectAnnotations.state]: state.replace("{", '{"patch":"x",'),
    [objectAnnotations.paused]: "true",
  };
  const account = "virt-platform-operator-controller-manager";
  const operator = await platform.testCluster.server.serviceAccount("virt-platform-operator-system", account);
  const path = `${paused}?fieldManager=${fieldManagers.platform}`;
  expect(await operator.request({ method: "PATCH", path, body: { metadata: { annotations } } })).toMatchObject({
    status: 200,
  });
  const before = await readAll();
  expect(new Set(before.map(({ kind }) => kind))).toContain("MachineConfig");

  const done = await runCommand("release", `--kubeconfig=${platform.testCluster.server.kubeconfig}`, "--yes");
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout.trim().split("\n")).toHaveLength(platform.targets.length);

  const after = await readAll();
  for (const [place, { metadata, ...live }] of after.entries()) {
    expect([{ metadata, ...live }].map(withoutMarks)).toEqual(before.slice(place, place + 1).map(withoutMarks));
    expect(metadata.labels ?? {}).not.toHaveProperty([managedByLabel.key]);
    expect(metadata.annotations ?? {}).not.toHaveProperty([objectAnnotations.state]);
    expect(isNoFields(appliedBy(readOwners({ metadata, ...live }), fieldManagers.platform))).toBe(true);
  }
});
