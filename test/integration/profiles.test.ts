import type { AnyProfileFacts, PlannedItem } from "@virt/advisor";
import { fieldManagers, type JsonMap, type KubeObject } from "@virt/api";
import { profiles } from "@virt/catalog";
import { type ApiUser, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { readMock } from "./mock-crds/definitions.ts";

let server: Server;
let account: ApiUser;

beforeAll(async () => {
  server = await startServer();
  await server.installCrds([readMock("machineconfigs.yaml").crd]);
  for (const name of ["openshift-cnv", "openshift-kube-descheduler-operator"]) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await server.request({ method: "POST", path: "/api/v1/namespaces", body });
  }
  account = await operatorAccount(server, "advisor");
});

afterAll(() => server?.stop());

async function rehearse(plural: string, object: KubeObject): Promise<unknown> {
  const { apiVersion, metadata } = object;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const folder = metadata.namespace === undefined ? root : `${root}/namespaces/${metadata.namespace}`;
  const query = `dryRun=All&fieldValidation=Strict&force=true&fieldManager=${fieldManagers.advisor}`;
  const path = `${folder}/${plural}/${metadata.name}?${query}`;
  const answer = await account.request({
    method: "PATCH",
    path,
    body: object,
    contentType: "application/apply-patch+yaml",
  });
  return answer.status < 300 ? "made" : answer.body;
}

function planOf(name: string, given: JsonMap | undefined, facts: AnyProfileFacts): readonly PlannedItem[] {
  const profile = profiles.find((each) => each.name === name);
  if (profile === undefined) throw new Error(`no profile ${name}`);
  return profile.plan(given, facts);
}

const plurals: Readonly<Record<string, string>> = {
  MachineConfig: "machineconfigs",
  KubeDescheduler: "kubedeschedulers",
  HyperConverged: "hyperconvergeds",
  MigrationPolicy: "migrationpolicies",
  ConfigMap: "configmaps",
};

async function answersTo(plan: readonly PlannedItem[]): Promise<Readonly<Record<string, unknown>>> {
  const applied = plan.flatMap((item) => (item.operation === "Apply" ? [item] : []));
  const answers = applied.map(async ({ name, desired }) => {
    const plural = plurals[desired.kind];
    if (plural === undefined) throw new Error(`where does ${desired.kind} lie?`);
    return [name, await rehearse(plural, desired)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

const environment = { ownNamespace: "virt-advisor-operator-system" };
const vmNodes = { roles: ["worker", "master"], nodes: undefined } as const;
const hco = { apiVersion: "hco.kubevirt.io/v1", namespace: "openshift-cnv", object: undefined };

const loadAware: readonly (JsonMap | undefined)[] = [
  undefined,
  { mode: "Predictive", devDeviationThresholds: "High", evictionLimitTotal: 1000, evictionLimitNode: 100 },
  { deschedulingIntervalSeconds: 86_400, enablePSIMetrics: false },
];
const liveProfiles = ["SoftTopologyAndDuplicates", "LifecycleAndUtilization", "AffinityAndTaints"];

test.each(["v510", "v514", "v521", "v532"])("a descheduler of %s accepts the planned objects", async (generation) => {
  const definition = readMock(`kubedeschedulers-${generation}.yaml`);
  await server.installCrds([definition.crd]);
  const descheduler = { spec: { profiles: liveProfiles } };
  for (const given of loadAware) {
    for (const live of [undefined, descheduler]) {
      const facts = {
        hco,
        deschedulerSchema: definition.schema,
        descheduler: live,
        psiConfig: undefined,
        masterPsiConfig: undefined,
        workerKernel: [],
        masterKernel: [],
        vmNodes,
        pools: [],
      };
      const answers = await answersTo(
        planOf("load-aware-rebalancing", given, { ...environment, ...facts } as unknown as AnyProfileFacts),
      );
      const made = { "enable-load-aware-descheduling": "made" };
      const psi = { "enable-psi-metrics": "made", "enable-psi-metrics-master": "made" };
      // The oldest generation's profile balances by requests, so that the plan does not use PSI.
      const isWithoutPsi = generation === "v510" || given?.["enablePSIMetrics"] === false;
      expect(answers).toEqual(isWithoutPsi ? made : { ...made, ...psi });
    }
  }
  await server.removeCrd(definition.crd);
});

const selector = { matchLabels: { zone: "a" }, matchExpressions: [{ key: "ksm", operator: "In", values: ["yes"] }] };
const density: readonly (JsonMap | undefined)[] = [
  undefined,
  { enableSwap: false },
  { memoryToRequestRatio: 300, ksmConfiguration: { nodeLabelSelector: selector } },
];

/** Creates the HyperConverged before the advisor plans. */
async function createHyperConverged(version: string): Promise<void> {
  const path = `/apis/hco.kubevirt.io/${version}/namespaces/openshift-cnv/hyperconvergeds`;
  const metadata = { name: "kubevirt-hyperconverged" };
  const body = { apiVersion: `hco.kubevirt.io/${version}`, kind: "HyperConverged", metadata, spec: {} };
  expect(await server.request({ method: "POST", path, body })).toMatchObject({ status: 201 });
}

test.each(["v1", "v1beta1"])("a HyperConverged of %s accepts the planned objects", async (version) => {
  const definition = readMock(`hyperconvergeds-${version}.yaml`);
  await server.installCrds([definition.crd]);
  await createHyperConverged(version);
  for (const given of density) {
    const served = { ...hco, apiVersion: `hco.kubevirt.io/${version}` };
    const facts = { ...environment, hco: served, waspAgent: undefined, nodes: [], pools: [], vmNodes };
    const answers = await answersTo(planOf("virt-higher-density", given, facts));
    const made = { "configure-higher-density": "made" };
    const swap = { "enable-kubelet-swap": "made", "enable-kubelet-swap-master": "made" };
    expect(answers).toEqual(given?.["enableSwap"] === false ? made : { ...made, ...swap });
  }
  await server.removeCrd(definition.crd);
});

const values = { bandwidthPerMigration: "0", completionSecondsPerGiB: 10, convergence: "PostCopy" };
const migration: readonly JsonMap[] = [
  { enabled: false },
  { perCluster: 200, perNode: 20, progressSeconds: 3600, network: "mig", ...values },
  { policy: { ...values, vmLabels: { tier: "db" }, namespaceLabels: { "example.com/zone": "" } } },
];

test.each(["v1", "v1beta1"])("a HyperConverged of %s accepts the plans for live migration", async (version) => {
  const definitions = [`hyperconvergeds-${version}.yaml`, "migrationpolicies.yaml"].map(readMock);
  await server.installCrds(definitions.map(({ crd }) => crd));
  await createHyperConverged(version);
  for (const given of migration) {
    const served = { ...hco, apiVersion: `hco.kubevirt.io/${version}` };
    const facts = { ...environment, hco: served, policies: [], networks: [], vmNodes, loadAware: { kind: "unknown" } };
    const answers = await answersTo(planOf("live-migration", given, facts));
    const made = { "configure-live-migration": "made" };
    expect(answers).toEqual("policy" in given ? { ...made, "configure-migration-policy": "made" } : made);
  }
  for (const { crd } of definitions) await server.removeCrd(crd);
});

test.each([true, false])("the API server accepts the example if openshift-cnv exists: %s", async (cnv) => {
  const answers = await answersTo(planOf("example-profile", undefined, { ...environment, cnv }));
  expect(answers).toEqual({ "configure-example-component": "made" });
});
