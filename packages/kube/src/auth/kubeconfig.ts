// Reads kubeconfig files, merges them as kubectl does, and selects a context.

import { dirname, resolve } from "node:path";
import { load } from "js-yaml";
import { type Access, AccessError, type Bearer, type ExecPlugin, type Material } from "./access.ts";

export type KubeconfigFile = { readonly path: string; readonly text: string };

type Named<T> = { readonly name: string } & T;
type Fields = Readonly<Record<string, unknown>>;
type Entry = { readonly fields: Fields; readonly folder: string };

type Merged = {
  readonly current?: string;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
};

/** The size limit for a kubeconfig. Larger files are rejected before they are parsed. */
const limitInBytes = 4_000_000;

export function accessFromKubeconfig(files: readonly KubeconfigFile[], wanted?: string): Access {
  const merged = merge(files);
  const source = `kubeconfig ${files.map((file) => file.path).join(", ")}`;
  const refuse = (why: string) => new AccessError(`cannot use ${source}: ${why}`);
  const name = wanted ?? merged.current;
  if (name === undefined || name === "")
    throw refuse("it has no current-context; choose one with kubectl config use-context NAME");
  const context = merged.contexts.get(name);
  if (context === undefined) throw refuse(`it has no context "${name}"`);
  const cluster = merged.clusters.get(text(context.fields, "cluster") ?? "");
  if (cluster === undefined)
    throw refuse(
      `context "${name}" refers to cluster "${text(context.fields, "cluster") ?? ""}", which does not exist`,
    );
  const userName = text(context.fields, "user");
  const user = userName === undefined ? undefined : merged.users.get(userName);
  if (userName !== undefined && user === undefined)
    throw refuse(`context "${name}" refers to user "${userName}", which does not exist`);
  const namespace = text(context.fields, "namespace");
  try {
    const who = user === undefined ? {} : userAccess(user);
    return {
      ...clusterAccess(cluster),
      ...who,
      ...(namespace && { namespace }),
      context: name,
      source: `${source}, context "${name}"`,
    };
  } catch (error) {
    throw error instanceof AccessError ? refuse(`context "${name}": ${error.message}`) : error;
  }
}

function merge(files: readonly KubeconfigFile[]): Merged {
  const maps = {
    clusters: new Map<string, Entry>(),
    users: new Map<string, Entry>(),
    contexts: new Map<string, Entry>(),
  };
  let current: string | undefined;
  for (const file of files) {
    const config = parse(file);
    current ||= text(config, "current-context");
    for (const [list, inner] of [
      ["clusters", "cluster"],
      ["users", "user"],
      ["contexts", "context"],
    ] as const) {
      for (const entry of named(config, list, file)) {
        const fields = entry[inner] ?? {};
        // As with kubectl, the first file that defines a name wins.
        if (!maps[list].has(entry.name))
          maps[list].set(entry.name, { fields: fields as Fields, folder: dirname(resolve(file.path)) });
      }
    }
  }
  return { ...maps, ...(current && { current }) };
}

function parse(file: KubeconfigFile): Fields {
  if (Buffer.byteLength(file.text) > limitInBytes)
    throw new AccessError(`cannot use kubeconfig ${file.path}: it is larger than ${limitInBytes} bytes`);
  let value: unknown;
  try {
    value = load(file.text);
  } catch (error) {
    const [why = "not YAML"] = String(error instanceof Error ? error.message : error).split("\n");
    throw new AccessError(`cannot read kubeconfig ${file.path}: ${why}`, { cause: error });
  }
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value))
    throw new AccessError(`cannot use kubeconfig ${file.path}: it is not a kubeconfig`);
  return value as Fields;
}

function named(config: Fields, list: string, file: KubeconfigFile): readonly Named<Fields>[] {
  const entries = config[list] ?? [];
  const isList =
    Array.isArray(entries) && entries.every((entry: unknown) => typeof (entry as Fields | null)?.["name"] === "string");
  if (!isList) throw new AccessError(`cannot use kubeconfig ${file.path}: ${list} is not a list of named entries`);
  return entries as readonly Named<Fields>[];
}

function clusterAccess({
  fields,
  folder,
}: Entry): Pick<Access, "server" | "isInsecure" | "authority" | "serverName" | "proxy"> {
  const server = text(fields, "server");
  if (server === undefined || !/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw new AccessError(`the server "${server ?? ""}" is not an http or https address`);
  }
  const authority = material(fields, "certificate-authority", folder);
  const serverName = text(fields, "tls-server-name");
  const proxy = text(fields, "proxy-url");
  if (proxy !== undefined && !/^https?:\/\//.test(proxy)) {
    throw new AccessError(`proxy-url "${proxy}" is not supported: only http and https proxies are`);
  }
  return {
    server: server.replace(/\/+$/, ""),
    isInsecure: fields["insecure-skip-tls-verify"] === true,
    ...(authority && { authority }),
    ...(serverName && { serverName }),
    ...(proxy && { proxy }),
  };
}

function userAccess({ fields, folder }: Entry): Pick<Access, "certificate" | "key" | "bearer" | "impersonate"> {
  const certificate = material(fields, "client-certificate", folder);
  const key = material(fields, "client-key", folder);
  const user = text(fields, "as");
  const uid = text(fields, "as-uid");
  const groups = (fields["as-groups"] ?? []) as readonly string[];
  const extra = (fields["as-user-extra"] ?? {}) as Readonly<Record<string, readonly string[]>>;
  const bearer = bearerOf(fields, folder);
  return {
    ...(certificate && { certificate }),
    ...(key && { key }),
    ...(bearer && { bearer }),
    ...(user && { impersonate: { user, groups, extra, ...(uid && { uid }) } }),
  };
}

// Returns the credentials with kubectl's precedence: token file, token, password, credential plugin.
function bearerOf(fields: Fields, folder: string): Bearer | undefined {
  const provider = fields["auth-provider"] as Fields | undefined;
  if (provider)
    throw new AccessError(
      `auth-provider "${text(provider, "name") ?? ""}" was removed from Kubernetes; use its exec plugin`,
    );
  const file = text(fields, "tokenFile");
  if (file !== undefined) return { kind: "token-file", file: resolve(folder, file) };
  const token = text(fields, "token");
  if (token !== undefined) return { kind: "token", token };
  const username = text(fields, "username");
  if (username !== undefined) return { kind: "basic", username, password: text(fields, "password") ?? "" };
  const exec = fields["exec"] as Fields | undefined;
  return exec ? { kind: "exec", plugin: execPlugin(exec, folder) } : undefined;
}

function execPlugin(exec: Fields, folder: string): ExecPlugin {
  const command = text(exec, "command");
  const apiVersion = text(exec, "apiVersion") ?? "";
  if (command === undefined) throw new AccessError("its exec plugin has no command");
  if (!/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(apiVersion)) {
    throw new AccessError(
      `its exec plugin requests apiVersion "${apiVersion}"; client.authentication.k8s.io/v1 and v1beta1 are supported`,
    );
  }
  const installHint = text(exec, "installHint");
  const env = ((exec["env"] ?? []) as readonly { name: string; value: string }[]).map(
    ({ name, value }) => [name, value] as const,
  );
  return {
    command,
    apiVersion,
    folder,
    args: (exec["args"] ?? []) as readonly string[],
    env: Object.fromEntries(env),
    provideClusterInfo: exec["provideClusterInfo"] === true,
    ...(installHint && { installHint }),
  };
}

// As with kubectl, inline data takes precedence over a path.
function material(fields: Fields, key: string, folder: string): Material | undefined {
  const data = text(fields, `${key}-data`);
  if (data !== undefined) return { data: Buffer.from(data, "base64").toString() };
  const file = text(fields, key);
  return file === undefined ? undefined : { file: resolve(folder, file) };
}

function text(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}
