// A cluster for tests of the operator: API server, CRDs, the shipped role, a simulated cluster, and the shipped operator.

import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkInvariants, inRepository, type Server, startServer } from "@virt/testkit";
import { expect, vi } from "vitest";
import { type Configs, configsOf } from "./configs.ts";
import { type RunningProgram, startProgram } from "./program.ts";

export type World = {
  readonly server: Server;
  readonly configs: Configs;
  /** Starts the operator, or another one beside it, with the rights that it ships with. */
  readonly startOperator: (options?: OperatorOptions) => Promise<RunningProgram>;
  readonly simulate: (scenario: string, speed?: number) => Promise<RunningProgram>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type OperatorOptions = {
  readonly flags?: readonly string[];
  /** In the place of the one that reaches the server directly. */
  readonly kubeconfig?: string;
};

export type WorldWishes = {
  /** Generations of mock CRDs, by plural; the newest where none is named, none at all for `null`. */
  readonly crds?: Readonly<Record<string, string | null>>;
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

export async function startWorld({ crds = {} }: WorldWishes = {}): Promise<World> {
  const server = await startServer();
  try {
    const chosen = { ...usual, ...crds };
    const mocks = Object.values(chosen).flatMap((file) => (file === null ? [] : [mockCrd(file)]));
    await server.installCrds([ownCrd, ...mocks]);
    await applied(server, namespaces.map(namespaceText).join("---\n"));
    const account = await advisorAccount(server);
    const programs: RunningProgram[] = [];
    const keep = (program: RunningProgram) => {
      programs.push(program);
      return program;
    };
    return {
      server,
      configs: configsOf(server),
      startOperator: ({ flags = [], kubeconfig = account.kubeconfig } = {}) => {
        const usualFlags = ["--controllers=advisor", "--health-probe-bind-address=0", `--kubeconfig=${kubeconfig}`];
        return Promise.resolve(keep(startProgram("virt-operator", [...usualFlags, ...flags])));
      },
      simulate: async (scenario, speed = 3_000) => {
        const flags = [`--kubeconfig=${server.kubeconfig}`, `--scenario=${scenario}`, `--speed=${speed}`];
        const simulator = keep(startProgram("virt-simulator", flags));
        await vi.waitFor(async () => expect(await areNodesReady(server)).toBe(true), { timeout: 45_000, interval: 50 });
        return simulator;
      },
      [Symbol.asyncDispose]: async () => {
        await Promise.all(programs.map((program) => program.kill()));
        const { violations } = checkInvariants(server.audit(), { accounts: [accountName] });
        await server.stop();
        expect(violations, "invariants that this run broke").toEqual([]);
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

/** Every pool has counted its machines, and there are some. */
async function areNodesReady(server: Server): Promise<boolean> {
  const { body } = await server.request({ path: "/apis/machineconfiguration.openshift.io/v1/machineconfigpools" });
  const counts = ((body as Pools).items ?? []).map(({ status }) => status ?? {});
  const isCounted = counts.every(({ machineCount, readyMachineCount }) => machineCount === (readyMachineCount ?? -1));
  return isCounted && counts.some(({ machineCount = 0 }) => machineCount > 0);
}

const ownCrd = inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml");

const advisor = { namespace: "virt-advisor-operator-system", name: "virt-advisor-operator-controller-manager" };
const accountName = `system:serviceaccount:${advisor.namespace}:${advisor.name}`;

/** The ServiceAccount of the advisor, with the role that is generated for it and nothing else. */
export async function advisorAccount(server: Server) {
  const { namespace, name } = advisor;
  const account = await server.serviceAccount(namespace, name);
  const output = await server.kubectl("apply", "-f", inRepository("config", "rbac", "advisor_role.yaml"));
  if (output.code !== 0) throw new Error(output.stderr);
  const subject = `subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${namespace}}]`;
  const roles = [
    ["ClusterRoleBinding", "ClusterRole", "virt-advisor-operator-manager-role"],
    ["RoleBinding", "Role", "virt-advisor-operator-leader-election-role"],
  ];
  const bindings = roles.map(
    ([binding, role, named]) =>
      `apiVersion: rbac.authorization.k8s.io/v1
kind: ${binding}
metadata: {name: ${named}, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${role}, name: ${named}}
${subject}
`,
  );
  await applied(server, bindings.join("---\n"));
  return account;
}

function namespaceText(name: string): string {
  return `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;
}

/** Applies manifests as `kubectl apply -f` does, from text. */
export async function applied(server: Server, manifests: string): Promise<void> {
  const folder = await mkdtemp(join(server.folder, "manifests-"));
  await writeFile(join(folder, "all.yaml"), manifests);
  const output = await server.kubectl("apply", "-f", folder);
  if (output.code !== 0) throw new Error(output.stderr);
}
