// A cluster for operator tests: API server, CRDs, shipped roles, a simulated cluster and the shipped operator.

import { join } from "node:path";
import { borrowServer, type Crd, checkInvariants, inRepository, type Server } from "@virt/testkit";
import { expect, vi } from "vitest";
import {
  accountName,
  applyManifests,
  type ControllerName,
  grantRights,
  openAccount,
  untilPoliciesEnforced,
} from "./account.ts";
import { type ConfigClient, configClientFor } from "./config-client.ts";
import { exampleFlags } from "./example-profile.ts";
import { type RunningProgram, startProgram } from "./program.ts";
import { deniedWrites, recordUsedRights, refusedRequests } from "./used-rights.ts";

export type TestCluster = {
  readonly server: Server;
  readonly configs: ConfigClient;
  readonly startOperator: (options?: OperatorOptions) => Promise<RunningProgram>;
  /** Applies another release's CRD, roles and admission policies, and waits until they are enforced. */
  readonly install: (release: string) => Promise<void>;
  readonly simulate: (scenario: string, speed?: number) => Promise<RunningProgram>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type OperatorOptions = {
  readonly flags?: readonly string[];
  readonly kubeconfig?: string;
  readonly nodeFlags?: readonly string[];
  readonly release?: string;
};

export type TestClusterOptions = {
  /** The mock CRD to use, by plural. Default: the newest. `null` installs none. */
  readonly crds?: Readonly<Record<string, string | null>>;
  /** More CRDs, which no mock represents. */
  readonly furtherCrds?: readonly Crd[];
  readonly controller?: ControllerName;
  readonly release?: string;
  /** If false, the advisor runs without example-profile, which is the installation default. */
  readonly hasExampleProfile?: boolean;
  /**
   * Set if the test revokes rights. Otherwise any request that lacks a right fails the test. A denial by our admission
   * policies always fails it.
   */
  readonly lacksRights?: boolean;
};

const namespaces = ["openshift-cnv", "openshift-kube-descheduler-operator", "virt-advisor-operator-system"];
const usual: Readonly<Record<string, string>> = {
  hyperconvergeds: "hyperconvergeds-v1beta1",
  kubedeschedulers: "kubedeschedulers-v532",
  machineconfigs: "machineconfigs",
  machineconfigpools: "machineconfigpools",
  machineconfignodes: "machineconfignodes",
  kubeletconfigs: "kubeletconfigs",
  virtualmachineinstances: "virtualmachineinstances",
  virtualmachineinstancemigrations: "virtualmachineinstancemigrations",
};

export function mockCrd(file: string): string {
  return inRepository("config", "crd", "mocks", `${file}.yaml`);
}

export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { crds = {}, controller = "advisor", lacksRights = false, release: installed = inRepository() } = options;
  const { hasExampleProfile = true, furtherCrds = [] } = options;
  const files = Object.values({ ...usual, ...crds }).flatMap((file) => file ?? []);
  const server = await borrowServer({
    name: JSON.stringify([controller, files, installed, hasExampleProfile, furtherCrds.length]),
    prepare: async (fresh) => {
      await fresh.installCrds([ownCrdOf(installed), ...files.map(mockCrd), ...furtherCrds]);
      await applyManifests(fresh, namespaces.map(namespaceText).join("---\n"));
      await grantRights(fresh, controller, installed, hasExampleProfile);
      await untilPoliciesEnforced(fresh);
    },
  });
  try {
    const account = await openAccount(server, controller);
    const programs: RunningProgram[] = [];
    const keep = (program: RunningProgram) => {
      programs.push(program);
      return program;
    };
    return {
      server,
      configs: configClientFor(server),
      startOperator: ({
        flags = [],
        kubeconfig = account.kubeconfig,
        nodeFlags = [],
        release = inRepository(),
      } = {}) => {
        const usualFlags = [
          `--controllers=${controller}`,
          "--health-probe-bind-address=0",
          `--kubeconfig=${kubeconfig}`,
          ...(hasExampleProfile ? exampleFlags(release) : []),
        ];
        return Promise.resolve(keep(startProgram("virt-operator", [...usualFlags, ...flags], nodeFlags, release)));
      },
      install: async (release) => {
        await server.installCrds([ownCrdOf(release)]);
        await grantRights(server, controller, release, hasExampleProfile);
        await untilPoliciesEnforced(server);
      },
      simulate: async (scenario, speed = 3_000) => {
        const flags = [`--kubeconfig=${server.kubeconfig}`, `--scenario=${scenario}`, `--speed=${speed}`];
        const simulator = keep(startProgram("virt-simulator", flags));
        await vi.waitFor(async () => expect(await areNodesReady(server)).toBe(true), {
          timeout: 120_000,
          interval: 50,
        });
        return simulator;
      },
      [Symbol.asyncDispose]: async () => {
        await Promise.all(programs.map((program) => program.kill()));
        const faults = programs.flatMap(({ log }) => log.filter(({ level }) => level === "error"));
        const audit = server.audit();
        const { violations } = checkInvariants(audit, { accounts: [accountName("advisor")] });
        recordUsedRights(audit);
        await server.stop();
        expect(faults, "faults that the programs logged").toEqual([]);
        expect(violations, "invariants that this run broke").toEqual([]);
        expect(deniedWrites(audit), "writes of the operators that the admission policies deny").toEqual([]);
        if (!lacksRights) expect(refusedRequests(audit), "requests that the shipped rights do not allow").toEqual([]);
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

type Pools = {
  readonly items?: readonly {
    readonly status?: { readonly machineCount?: number; readonly readyMachineCount?: number };
  }[];
};

/** Reports whether all pools have counted their machines and there is at least one. */
async function areNodesReady(server: Server): Promise<boolean> {
  const { body } = await server.request({ path: "/apis/machineconfiguration.openshift.io/v1/machineconfigpools" });
  const counts = ((body as Pools).items ?? []).map(({ status }) => status ?? {});
  const isCounted = counts.every(({ machineCount, readyMachineCount }) => machineCount === (readyMachineCount ?? -1));
  return isCounted && counts.some(({ machineCount = 0 }) => machineCount > 0);
}

const ownCrdOf = (release: string) =>
  join(release, "config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml");

function namespaceText(name: string): string {
  return `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;
}
