import { type KubeObject, managedByLabel } from "@virt/api";
import type { AuditEvent } from "@virt/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { accountName } from "../support/account.ts";
import { hcoPath as hco, startPlatformCluster } from "../support/platform-cluster.ts";
import { objectPaths } from "../support/running-platform.ts";
import type { TestCluster } from "../support/test-cluster.ts";

const { check, swap } = objectPaths;
const prefix = "platform.kubevirt.io/";
let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startPlatformCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator({ flags: ["--activation=always"] });
  await until(areManaged);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const read = async (path: string) => (await testCluster.server.request({ path })).body as KubeObject & { spec: never };
const edit = async (path: string, body: unknown) => {
  const { status } = await testCluster.server.request({ method: "PATCH", path, body });
  expect(status).toBe(200);
};
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 50 });

async function areManaged(): Promise<void> {
  for (const path of [check, swap, hco])
    expect((await read(path)).metadata.labels?.[managedByLabel.key]).toBe(managedByLabel.value);
}

/** Excludes writes that conflicted with the HyperConverged's operator, and their dry runs. */
const withoutConflicts = (events: readonly AuditEvent[]) =>
  events.filter((_, at) => ![at, at + 1].some((index) => events[index]?.responseStatus?.code === 409));
const writes = (to: string) =>
  testCluster.server
    .audit()
    .filter(
      ({ user, verb, requestURI, stage }) =>
        user.username === accountName("platform") &&
        stage === "ResponseComplete" &&
        !["get", "list", "watch"].includes(verb) &&
        requestURI.startsWith(to),
    );

test("corrects a changed field with two requests and keeps foreign labels", async () => {
  await until(async () => expect((await read(check)).spec).toMatchObject({ minHealthy: "51%" }));
  const from = new Date().toISOString(); // the audit log can have earlier requests later
  await edit(check, { spec: { minHealthy: "10%" }, metadata: { labels: { team: "theirs" } } });
  await until(async () => expect((await read(check)).spec).toMatchObject({ minHealthy: "51%" }));
  expect((await read(check)).metadata.labels).toMatchObject({ team: "theirs" });
  // The audit log can be late.
  await until(async () => {
    const seen = writes(check).filter(({ requestReceivedTimestamp }) => requestReceivedTimestamp > from);
    expect(seen.map(({ verb, requestURI }) => `${verb} ${requestURI.includes("dryRun")}`)).toEqual([
      "patch true",
      "patch false",
    ]);
  });
});

test("applies a valid patch and keeps it while its successor is broken", async () => {
  const patch = (text: string | null) => edit(swap, { metadata: { annotations: { [`${prefix}patch`]: text } } });
  const argumentsOf = async () => ((await read(swap)) as { spec: { kernelArguments?: string[] } }).spec.kernelArguments;
  await patch(JSON.stringify([{ op: "add", path: "/spec/kernelArguments", value: ["quiet"] }]));
  await until(async () => expect(await argumentsOf()).toEqual(["quiet"]));
  await patch('[{"op":"replace","path":"/metadata/name","value":"other"}]');
  const events = async () =>
    JSON.stringify((await testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" })).body);
  await until(async () => expect(await events()).toContain("InvalidPatch"));
  expect(await argumentsOf()).toEqual(["quiet"]);
  await patch(null);
  await until(async () => expect(await argumentsOf()).toBeUndefined());
});

test("does not write to an unmanaged object", async () => {
  await edit(check, { metadata: { annotations: { [`${prefix}mode`]: "unmanaged" } } });
  await edit(check, { spec: { stormCooldownDuration: "2m" } });
  const before = withoutConflicts(writes(hco)).length;
  await edit(hco, { spec: { liveMigrationConfig: { allowPostCopy: true } } });
  const config = async () => ((await read(hco)) as { spec: { liveMigrationConfig: object } }).spec.liveMigrationConfig;
  await until(async () => expect(await config()).toMatchObject({ allowPostCopy: false }));
  // The audit log can be late, and the next test counts from here.
  await until(async () => expect(withoutConflicts(writes(hco)).length).toBe(before + 2));
  expect((await read(check)).spec).toMatchObject({ stormCooldownDuration: "2m" });
});

test("sends no requests for an edit of foreign fields", async () => {
  const requests = () =>
    withoutConflicts(
      testCluster.server.audit().filter(({ user, verb, requestURI }) => {
        const isOurs = user.username === accountName("platform");
        const isDiscovery = /^\/apis\/[^/]+\/[^/]+$/.test(requestURI); // this cluster's CRDs are seconds old
        return (
          isOurs &&
          verb !== "watch" &&
          !isDiscovery &&
          !/\/(events|leases|configmaps\/virt-platform-operator-report)/.test(requestURI)
        );
      }),
    ).map(({ verb, requestURI }) => `${verb} ${requestURI}`);
  const before = requests().length;
  await edit(hco, { metadata: { annotations: { "example.com/note": "hello" } } });
  await edit(hco, { spec: { liveMigrationConfig: { allowPostCopy: true } } });
  await until(async () => {
    const { spec } = (await read(hco)) as { spec: { liveMigrationConfig: { allowPostCopy: boolean } } };
    expect(spec.liveMigrationConfig.allowPostCopy).toBe(false);
  });
  const manner = "fieldManager=virt-platform-operator&fieldValidation=Strict&force=true";
  await until(async () => {
    expect(requests().slice(before)).toEqual([`patch ${hco}?dryRun=All&${manner}`, `patch ${hco}?${manner}`]);
  });
});

test("corrects a HyperConverged whose status changes constantly", async () => {
  const config = async () => ((await read(hco)) as { spec: { liveMigrationConfig: object } }).spec.liveMigrationConfig;
  await edit(`${hco}/status`, { status: { systemHealthStatus: "before" } });
  await edit(hco, { spec: { liveMigrationConfig: { allowPostCopy: true } } });
  await until(async () => {
    await edit(`${hco}/status`, { status: { systemHealthStatus: `${Math.random()}` } });
    expect(await config()).toMatchObject({ allowPostCopy: false });
  });
});
