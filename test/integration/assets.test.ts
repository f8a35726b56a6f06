import { fieldManagers } from "@virt/api";
import { assets } from "@virt/catalog";
import { type ApiResponse, type ApiUser, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownNamespace } from "../../catalog/testing/asset-facts.ts";
import { operatorAccount } from "../support/account.ts";
import { families, type Generation } from "./assets/generations.ts";
import { type Desired, desiredWith, hcoNamespace, hcoWith, type Setting } from "./assets/rendering.ts";
import { type Definition, isGenuineThere } from "./mock-crds/definitions.ts";

const patienceMs = 300_000;
const placed = assets.flatMap(({ target }) => target.namespace ?? []).filter((name) => !name.startsWith("$"));
const namespaces = [...new Set([hcoNamespace, ownNamespace, ...placed])];

const settings: readonly Setting[] = [
  {
    said: {
      "vfio-devices": '[{"selector": "10DE:1EB8", "resourceName": "nvidia.com/TU104GL_Tesla_T4"}]',
      "usb-devices":
        '[{"resourceName": "kubevirt.io/storage", "selectors": [{"vendor": "46f4", "product": "0001"}], "externalResourceProvider": true}]',
      "enable-incident-detection": "true",
    },
    podCIDR: "10.128.0.0/20",
  },
  {
    said: {
      "vfio-devices": "[{selector: '8086:0d4f', resourceName: intel.com/nic, externalResourceProvider: false}]",
      "usb-devices": "[{resourceName: a.b/c, selectors: [{vendor: 'A', product: '1'}, {vendor: 'B', product: '2'}]}]",
    },
    podCIDR: "10.128.0.0/24",
  },
];

if (!isGenuineThere) process.stdout.write("../shared/crds is absent: assets are tried with our mock CRDs only\n");

describe.each(families)("with $title", ({ steady, generations }) => {
  let server: Server;
  let account: ApiUser;

  beforeAll(async () => {
    server = await startServer();
    await server.installCrds(steady.map(({ crd }) => crd));
    for (const name of namespaces) {
      const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
      await server.request({ method: "POST", path: "/api/v1/namespaces", body });
    }
    account = await operatorAccount(server, "platform");
  }, patienceMs);

  afterAll(() => server?.stop());

  test.each(generations.slice(-1))("$title accept every object twice without a change", takeEveryObject);
  test.each(generations.slice(0, -1))(
    "$title accept every object twice without a change",
    { tags: ["thorough"] },
    takeEveryObject,
  );

  async function takeEveryObject({ changing }: Generation): Promise<void> {
    await install(server, changing);
    for (const setting of settings) {
      const objects = desiredWith([...steady, ...changing], setting);
      const failures = await Promise.all(objects.map((desired) => refusalsOf(account, desired)));
      expect(failures.flat()).toEqual([]);
    }
    await Promise.all(changing.map(({ crd }) => server.removeCrd(crd)));
  }
});

/** Creates the HyperConverged before the operator starts, which never creates one. */
async function install(server: Server, changing: readonly Definition[]): Promise<void> {
  await server.installCrds(changing.map(({ crd }) => crd));
  const hco = hcoWith(changing);
  const path = `/apis/${hco.apiVersion}/namespaces/${hcoNamespace}/hyperconvergeds`;
  expect(await server.request({ method: "POST", path, body: hco })).toMatchObject({ status: 201 });
}

async function refusalsOf(account: ApiUser, desired: Desired): Promise<readonly string[]> {
  const rehearsed = await apply(account, desired, "&dryRun=All");
  const first = await apply(account, desired);
  const second = await apply(account, desired);
  const refusals = [rehearsed, first, second].filter(({ status }) => status !== 200 && status !== 201);
  const isChanged = JSON.stringify(first.body) !== JSON.stringify(second.body);
  return [
    ...refusals.map(({ body }) => `${pathOf(desired)}: ${JSON.stringify(body)}`),
    ...(isChanged ? [`${pathOf(desired)} is changed by a second apply`] : []),
  ];
}

function apply(account: ApiUser, desired: Desired, query = ""): Promise<ApiResponse> {
  const path = `${pathOf(desired)}?fieldManager=${fieldManagers.platform}&force=true&fieldValidation=Strict${query}`;
  return account.request({ method: "PATCH", path, body: desired.object, contentType: "application/apply-patch+yaml" });
}

function pathOf({ plural, object: { apiVersion, metadata } }: Desired): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const folder = metadata.namespace === undefined ? root : `${root}/namespaces/${metadata.namespace}`;
  return `${folder}/${plural}/${metadata.name}`;
}
