// Admits a pod from a Deployment's template and fills its volumes like a kubelet.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Server } from "@virt/testkit";

export type PodTemplate = { readonly metadata: object; readonly spec: object };

export type Pod = {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly terminationGracePeriodSeconds: number;
    readonly securityContext: { readonly runAsNonRoot?: boolean; readonly seccompProfile?: { readonly type: string } };
    readonly containers: readonly [PodContainer];
    readonly volumes: readonly Volume[];
  };
};

export type PodContainer = {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: FieldReference }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean;
    readonly readOnlyRootFilesystem: boolean;
    readonly capabilities: { readonly drop: readonly string[]; readonly add?: readonly string[] };
  };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
};

export type Probe = {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme: "HTTP" | "HTTPS" };
  readonly timeoutSeconds: number;
  readonly periodSeconds: number;
};

type FieldReference = { readonly fieldRef: { readonly fieldPath: string } };

type Volume = {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly optional?: boolean };
  readonly projected?: { readonly sources: readonly ProjectedSource[] };
};

type ProjectedSource = {
  readonly serviceAccountToken?: { readonly expirationSeconds: number; readonly path: string };
  readonly configMap?: {
    readonly name: string;
    readonly items: readonly { readonly key: string; readonly path: string }[];
  };
  readonly downwardAPI?: { readonly items: readonly ({ readonly path: string } & FieldReference)[] };
};

/**
 * Creates the pod through admission, which sets defaults, mounts the account's token and enforces the namespace's pod
 * security.
 */
export async function admitPod(server: Server, namespace: string, name: string, template: PodTemplate): Promise<Pod> {
  const { status, body } = await server.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/pods?dryRun=All`,
    body: { apiVersion: "v1", kind: "Pod", ...template, metadata: { ...template.metadata, name } },
  });
  if (status !== 201) throw new Error(`the pod ${name} is not admitted: ${JSON.stringify(body)}`);
  return body as Pod;
}

export function fieldOf({ metadata }: Pod, { fieldRef: { fieldPath } }: FieldReference): string {
  const fields: Readonly<Record<string, string>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
  };
  const value = fields[fieldPath];
  if (value === undefined) throw new Error(`${fieldPath} is no field that this kubelet knows`);
  return value;
}

/** Fills each volume in its own folder. Returns the folders by volume name. */
export async function fillVolumes(server: Server, pod: Pod, folder: string): Promise<ReadonlyMap<string, string>> {
  const filled = new Map<string, string>();
  for (const volume of pod.spec.volumes) {
    const place = join(folder, volume.name);
    mkdirSync(place, { recursive: true });
    for (const [path, content] of await contentsOf(server, pod, volume)) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), content, { mode: 0o644 });
    }
    filled.set(volume.name, place);
  }
  return filled;
}

type Contents = readonly (readonly [path: string, content: string | Buffer])[];

async function contentsOf(server: Server, pod: Pod, { name, secret, projected }: Volume): Promise<Contents> {
  if (secret !== undefined) return secretContents(server, pod, secret);
  if (projected === undefined) throw new Error(`the volume ${name} is of no kind that this kubelet knows`);
  const parts = await Promise.all(projected.sources.map((source) => projectedContents(server, pod, source)));
  return parts.flat();
}

type Data = { readonly data?: Readonly<Record<string, string>>; readonly status?: { readonly token?: string } };

async function secretContents(server: Server, pod: Pod, secret: NonNullable<Volume["secret"]>): Promise<Contents> {
  const path = `/api/v1/namespaces/${pod.metadata.namespace}/secrets/${secret.secretName}`;
  const { status, body } = await server.request({ path });
  if (status === 404 && secret.optional === true) return [];
  if (status !== 200) throw new Error(`the Secret ${secret.secretName} cannot be mounted: ${status}`);
  return Object.entries((body as Data).data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64")]);
}

async function projectedContents(server: Server, pod: Pod, source: ProjectedSource): Promise<Contents> {
  const { serviceAccountToken, configMap, downwardAPI } = source;
  const here = `/api/v1/namespaces/${pod.metadata.namespace}`;
  if (serviceAccountToken !== undefined) {
    const { expirationSeconds, path } = serviceAccountToken;
    const answer = await server.request({
      method: "POST",
      path: `${here}/serviceaccounts/${pod.spec.serviceAccountName}/token`,
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds } },
    });
    return [[path, (answer.body as Data).status?.token ?? ""]];
  }
  if (configMap !== undefined) {
    const { data = {} } = (await server.request({ path: `${here}/configmaps/${configMap.name}` })).body as Data;
    return configMap.items.map(({ key, path }) => [path, data[key] ?? ""]);
  }
  return (downwardAPI?.items ?? []).map((item) => [item.path, fieldOf(pod, item)]);
}
