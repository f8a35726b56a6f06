import { readFileSync } from "node:fs";
import { configKind } from "@virt/api";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accepted, type ConfigCase, refused } from "./crd-cases.ts";
import { config, crdFile, patchConfig, path, recreateConfig, type StoredConfig } from "./crd-objects.ts";

let server: Server;

beforeAll(async () => {
  server = await startServer();
  await server.installCrds([crdFile]);
});

afterAll(() => server.stop());

async function offer(given: Pick<ConfigCase, "spec" | "name">) {
  const body = config(given);
  const answer = await server.request({ method: "POST", path: `${path}?dryRun=All&fieldValidation=Strict`, body });
  const { message = "" } = answer.body as { message?: string };
  return { status: answer.status, message, stored: answer.body as StoredConfig };
}

test.each(accepted)("the API accepts $reason", async (given) => {
  expect(await offer(given)).toMatchObject({ status: 201, message: "" });
});

test.each(refused)("the API refuses $reason and explains why", async ({ says, ...given }) => {
  const { status, message } = await offer(given);
  expect([400, 422]).toContain(status);
  for (const words of says) expect(message).toContain(words);
  expect(message).not.toContain("google.protobuf");
});

const filled = { action: "DryRun", failurePolicy: "Abort", bypassOptimisticLock: false };
const defaults = [
  {
    reason: "a preview that stops at the first failure",
    spec: { profile: "example-profile" },
    becomes: { profile: "example-profile", ...filled },
  },
  {
    reason: "the options of load-aware rebalancing, but no limits",
    spec: { profile: "load-aware-rebalancing", options: { loadAware: {} } },
    becomes: {
      profile: "load-aware-rebalancing",
      ...filled,
      options: {
        loadAware: {
          deschedulingIntervalSeconds: 60,
          mode: "Automatic",
          devDeviationThresholds: "AsymmetricLow",
        },
      },
    },
  },
  {
    reason: "swap and KSM, but no ratio",
    spec: { profile: "virt-higher-density", options: { virtHigherDensity: { ksmConfiguration: {} } } },
    becomes: {
      profile: "virt-higher-density",
      ...filled,
      options: { virtHigherDensity: { enableSwap: true, ksmConfiguration: { enabled: true } } },
    },
  },
  {
    reason: "nothing for empty options",
    spec: { profile: "virt-higher-density", options: {} },
    becomes: { profile: "virt-higher-density", ...filled, options: {} },
  },
];

test.each(defaults)("the API fills in $reason", async ({ spec, becomes }) => {
  expect((await offer({ spec })).stored.spec).toEqual(becomes);
});

test("the API refuses to change the profile of a config", async () => {
  await recreateConfig(server, { profile: "load-aware-rebalancing" });
  const answer = await patchConfig(server, "load-aware-rebalancing", { spec: { profile: "virt-higher-density" } });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain("Profile is immutable");
});

test("the API refuses a config without a spec", async () => {
  const { apiVersion, kind } = configKind;
  const body = { apiVersion, kind, metadata: { name: "example-profile" } };
  const answer = await server.request({ method: "POST", path, body });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain("spec: Required value");
});

type Schema = {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
};

function undescribed(schema: Schema, at: string): readonly string[] {
  const { description, properties = {}, items, additionalProperties } = schema;
  const inner = [
    ...Object.entries(properties).map(([name, one]) => [`${at}.${name}`, one] as const),
    ...[items, additionalProperties].flatMap((one) => (one ? [[`${at}[]`, one] as const] : [])),
  ];
  return [...(description ? [] : [at]), ...inner.flatMap(([where, one]) => undescribed(one, where))];
}

test("every field except metadata has a description", () => {
  const crd = load(readFileSync(inRepository(crdFile), "utf8")) as {
    spec: { versions: readonly { schema: { openAPIV3Schema: Schema } }[] };
  };
  const schemas = crd.spec.versions.map(({ schema }) => schema.openAPIV3Schema);
  expect(schemas.flatMap((schema) => undescribed(schema, ""))).toEqual([".metadata"]);
});
