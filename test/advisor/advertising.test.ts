import { conditionOf } from "@virt/advisor";
import { profiles } from "@virt/catalog";
import { expect, test } from "vitest";
import { edit, eventsAbout, higherDensity, loadAware, paths, readAt, reasonsAbout } from "../support/advisor.ts";
import { useAdvisor, withoutPsi } from "../support/advisor-suite.ts";

const advisor = useAdvisor({ flags: [] });

const names = async () => {
  const { body } = await advisor().server.request({ path: paths.configs });
  return (body as { readonly items: readonly { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  );
};

test("advertises all production profiles as Ignore, but not the example profile", async () => {
  const { configs, server } = advisor();
  const advertised = profiles.filter(({ isAdvertised }) => isAdvertised).map(({ name }) => name);
  for (const name of advertised) await configs.until(name, "Ignored"); // oxlint-disable-line no-await-in-loop -- one after the other
  expect((await names()).toSorted()).toEqual(advertised.toSorted());
  expect(advertised).toEqual(expect.arrayContaining([loadAware, higherDensity, "vm-high-availability"]));
  expect(await readAt(server, paths.config(loadAware))).toMatchObject({
    metadata: {
      labels: { "advisor.kubevirt.io/category": "scheduling" },
      annotations: {
        "advisor.kubevirt.io/auto-created": "true",
        "advisor.kubevirt.io/description":
          "Enables load-aware VM rebalancing and PSI metrics for intelligent scheduling",
        "advisor.kubevirt.io/documentation-url": expect.stringMatching(/\/docs\/LOADAWARE_PROFILE\.md$/) as string,
        "advisor.kubevirt.io/impact-summary": "Medium - May require node reboots if PSI metrics are enabled",
      },
    },
    spec: { profile: loadAware, action: "Ignore" },
    status: { phase: "Ignored", impactSeverity: "High" },
  });
  expect(await readAt(server, paths.config(higherDensity))).toMatchObject({
    metadata: {
      labels: { "advisor.kubevirt.io/category": "density" },
      annotations: {
        "advisor.kubevirt.io/auto-created": "true",
        "advisor.kubevirt.io/description": "Enables higher VM density through swap and other optimizations",
        "advisor.kubevirt.io/impact-summary":
          "Enables swap for kubelet to allow memory overcommit and higher VM density. Requires nodes with swap partition labeled CNV_SWAP.",
      },
    },
    spec: { profile: higherDensity, action: "Ignore" },
  });
});

test("reports every step from advertising to cleared drift as an event", async () => {
  const { configs, server } = advisor();
  await configs.edit(loadAware, { action: "DryRun", options: withoutPsi });
  const { planHash, items } = await configs.until(loadAware, "ReviewRequired");
  const plan = planHash?.slice(0, 12);
  expect(items?.map(({ state }) => state)).toEqual(["Pending"]);
  expect((await configs.approve(loadAware)).planHash).toBe(planHash);
  await edit(server, paths.descheduler, { spec: { mode: "Predictive" } });
  await configs.until(loadAware, "Drifted");
  await edit(server, paths.descheduler, { spec: { mode: "Automatic" } });
  expect(conditionOf(await configs.until(loadAware, "Completed"), "Ready")?.status).toBe("True");
  await expect
    .poll(() => reasonsAbout(server, loadAware))
    .toEqual([
      "ProfileAdvertised",
      "Ignored",
      "Resumed",
      "PlanDrafted",
      "PlanApproved",
      "ItemApplied",
      "PlanCompleted",
      "DriftDetected",
      "DriftCleared",
    ]);
  const reports = await eventsAbout(server, loadAware);
  expect(reports.find(({ reason }) => reason === "PlanDrafted")?.note).toBe(
    `Plan ${plan} drafted: 1 of 1 items have changes, impact Medium`,
  );
  expect(reports.find(({ reason }) => reason === "PlanApproved")?.note).toMatch(
    new RegExp(`^Plan ${plan} approved through \\S+ \\(impact Medium\\)$`),
  );
  expect(reports.find(({ reason }) => reason === "DriftDetected")).toMatchObject({
    type: "Warning",
    note: expect.stringMatching(/KubeDescheduler 'cluster': spec\.mode.*, by /) as string,
  });
});

test("advertises a deleted profile again, and keeps a user's own config unchanged", async () => {
  const { configs, server } = advisor();
  const old = (await readAt(server, paths.config(higherDensity)))?.metadata.uid;
  await configs.remove(higherDensity);
  await expect.poll(async () => (await readAt(server, paths.config(higherDensity)))?.metadata.uid ?? old).not.toBe(old);
  expect((await readAt(server, paths.config(higherDensity)))?.["spec"]).toMatchObject({ action: "Ignore" });

  await advisor().stop();
  await configs.remove(loadAware);
  await configs.create(loadAware, { action: "DryRun" });
  await advisor().start();
  await configs.until(loadAware, "ReviewRequired");
  expect((await readAt(server, paths.config(loadAware)))?.metadata.annotations).toBeUndefined();
});

test("an upgrade changes only the link of configs that the advisor created", async () => {
  const { configs, server } = advisor();
  const link = "advisor.kubevirt.io/documentation-url";
  const metadataOf = async (name: string) => (await readAt(server, paths.config(name)))?.metadata;
  const page = (name: string) => expect.stringMatching(new RegExp(`/blob/v[^/]+/docs/${name}\\.md$`)) as string;
  await expect.poll(async () => (await metadataOf(higherDensity))?.annotations?.[link]).toEqual(page("VIRTHIGHERDENSITY_PROFILE")); // biome-ignore format: one line
  await advisor().stop();
  const path = `${paths.config(higherDensity)}?fieldManager=virt-advisor-operator`;
  const before = await metadataOf(higherDensity);
  await edit(server, path, { metadata: { annotations: { [link]: "https://example.com/of-an-earlier-release" } } });
  await advisor().start();
  await expect.poll(async () => (await metadataOf(higherDensity))?.annotations).toEqual(before?.annotations);
  expect((await metadataOf(higherDensity))?.["generation"]).toBe(before?.["generation"]);
  await configs.until(higherDensity, "Ignored");
  expect((await metadataOf(loadAware))?.annotations).toBeUndefined();
});

test("advertises no profile with --advertise-profiles=false", async () => {
  const { configs } = advisor();
  await advisor().stop();
  for (const name of await names()) await configs.remove(name); // oxlint-disable-line no-await-in-loop -- one after the other
  await advisor().start("--advertise-profiles=false");
  await configs.create("example-profile", { action: "Apply" });
  await configs.until("example-profile", "Completed");
  await configs.create(higherDensity, { action: "Ignore" });
  await configs.until(higherDensity, "Ignored");
  await configs.remove(higherDensity);
  await edit(advisor().server, paths.config("example-profile"), { spec: { action: "Ignore" } });
  await configs.until("example-profile", "Ignored");
  expect(await names()).toEqual(["example-profile"]);
});
