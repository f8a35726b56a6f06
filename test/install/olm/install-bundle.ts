// Installs the bundle like OLM: objects, accounts and rights in one namespace, and Deployments with a Subscription's
// changes.

import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asList, asText, at, type Json, type KubeObject } from "@virt/objects";
import { freePorts, type KubectlResult, type Server } from "@virt/testkit";
import { type RunningProgram, startProgram } from "../../support/program.ts";
import { type Bundle, csvAnnotations, csvList, deploymentsIn, textOf } from "./bundle.ts";

export type InstalledBundle = {
  readonly namespace: string;
  readonly applied: KubectlResult;
  /** Starts the program of a Deployment. `variables` are spec.config.env of the Subscription. */
  readonly start: (deployment: string, variables: Readonly<Record<string, string>>) => Promise<StartedDeployment>;
};

export type StartedDeployment = { readonly program: RunningProgram; readonly readMetrics: () => Promise<string> };

export async function installBundle(server: Server, bundle: Bundle): Promise<InstalledBundle> {
  const suggested = JSON.parse(
    csvAnnotations(bundle)["operatorframework.io/suggested-namespace-template"] ?? "",
  ) as KubeObject;
  const namespace = suggested.metadata.name;
  const prepared = await applyAll(server, [suggested, ...rightsIn(bundle, namespace)]);
  if (prepared.code !== 0) throw new Error(prepared.stderr);
  const applied = await applyAll(server, bundle.objects, `--namespace=${namespace}`);
  return {
    namespace,
    applied,
    start: async (name, variables) => {
      const deployment = deploymentsIn(bundle).find((one) => textOf(one, "name") === name);
      if (deployment === undefined) throw new Error(`the bundle has no Deployment ${name}`);
      const pod = at(deployment, "spec", "template", "spec");
      const [container] = asList(at(pod, "containers"));
      const { kubeconfig } = await server.serviceAccount(namespace, asText(at(pod, "serviceAccountName")) ?? "");
      const environment = { ...variablesOf(container, namespace), ...variables, VIRT_OPERATOR_KUBECONFIG: kubeconfig };
      const file = join(mkdtempSync(join(server.folder, "deployment-")), "environment");
      writeFileSync(
        file,
        Object.entries(environment)
          .map(([key, value]) => `${key}="${value}"\n`)
          .join(""),
      );
      const [port = 0] = await freePorts(1);
      // Overrides: the last of two equal flags counts. All programs share this machine's ports, and no certificate is
      // mounted.
      const instead = [
        "--health-probe-bind-address=0",
        "--debug-bind-address=0",
        "--metrics-secure=false",
        `--metrics-bind-address=127.0.0.1:${port}`,
      ];
      const flags = [...asList(at(container, "args")).map(String), ...instead];
      const program = startProgram("virt-operator", flags, [`--env-file=${file}`]);
      const readMetrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return { program, readMetrics };
    },
  };
}

async function applyAll(server: Server, objects: readonly object[], ...flags: readonly string[]) {
  const file = join(mkdtempSync(join(server.folder, "olm-")), "objects.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  return server.kubectl("apply", "--server-side", "--filename", file, ...flags);
}

function variablesOf(container: Json | undefined, namespace: string): Readonly<Record<string, string>> {
  const variables = asList(at(container, "env"));
  return Object.fromEntries(variables.map((one) => [textOf(one, "name"), asText(at(one, "value")) ?? namespace]));
}

const fields = { clusterPermissions: "ClusterRole", permissions: "Role" } as const;

function rightsIn(bundle: Bundle, namespace: string): readonly object[] {
  const group = "rbac.authorization.k8s.io";
  return Object.entries(fields).flatMap(([field, kind]) =>
    csvList(bundle, "spec", "install", "spec", field).flatMap((granted, place) => {
      const account = textOf(granted, "serviceAccountName");
      const metadata = { name: `${account}-${place}`, ...(kind === "Role" && { namespace }) };
      return [
        { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } },
        { apiVersion: `${group}/v1`, kind, metadata, rules: at(granted, "rules") },
        {
          apiVersion: `${group}/v1`,
          kind: `${kind}Binding`,
          metadata,
          subjects: [{ kind: "ServiceAccount", name: account, namespace }],
          roleRef: { apiGroup: group, kind, name: metadata.name },
        },
      ];
    }),
  );
}
