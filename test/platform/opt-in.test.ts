import { expect, test } from "vitest";
import { accountName } from "../support/account.ts";
import { higherDensity } from "../support/advisor.ts";
import { shareBothOperators } from "../support/both-operators.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths } from "../support/running-platform.ts";

const { swap } = objectPaths;
const both = shareBothOperators();
const platformWrites = () =>
  both.server
    .audit()
    .filter(
      ({ user, verb, requestURI }) =>
        user.username === accountName("platform") &&
        !["get", "list", "watch"].includes(verb) &&
        !/\/(events|leases|configmaps\/virt-platform-operator-(report|governance))/.test(requestURI),
    );

test("writes nothing before a user opts in", async () => {
  await both.configs.until(higherDensity, "Ignored");
  expect(platformWrites()).toEqual([]);
});

test("applies only listed assets and reports an unknown name", async () => {
  await both.annotate({ "virt-platform-operator": "swap-enable,swop-enable", "enable-swop": "true" });
  await both.until(async () => expect(await both.statusOf(swap)).toBe(200));
  await both.until(async () => {
    const reports = JSON.stringify(await both.read("/apis/events.k8s.io/v1/events"));
    expect(reports).toContain('Unknown asset or group \\"swop-enable\\"');
    expect(reports).toContain("did you mean");
  });
  const services = await both.read("/api/v1/namespaces/virt-platform-operator-system/services");
  expect(services).toMatchObject({ items: [] });
});

test("deletes the object of a disabled feature only if prune is set", async () => {
  await both.annotate({ "virt-platform-operator": "true", "enable-swap": "false" });
  await both.until(async () => {
    const { labels } = (await both.read(hcoPath)).metadata;
    expect(labels).toMatchObject({ "platform.kubevirt.io/managed-by": "virt-platform-operator" });
  });
  expect(await both.statusOf(swap)).toBe(200);
  await both.annotate({ prune: "true" });
  await both.until(async () => expect(await both.statusOf(swap)).toBe(404));
  await both.until(async () => expect(await both.events("AssetPruned")).not.toEqual([]));
});
