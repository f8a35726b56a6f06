// Stores VirtPlatformConfigs on a real server for the tests of their API.

import { configKind, type Status } from "@virt/api";
import type { ApiResponse, Server } from "@virt/testkit";
import { expect } from "vitest";
import type { ConfigCase } from "./crd-cases.ts";

const { group, apiVersion, kind, plural } = configKind;

export const crdFile = `config/crd/bases/${group}_${plural}.yaml`;
export const path = `/apis/${apiVersion}/${plural}`;

export type StoredConfig = {
  readonly metadata: { readonly generation: number };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Status;
};

export const config = ({ spec, name = spec.profile }: Pick<ConfigCase, "spec" | "name">) => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});

export async function recreateConfig(server: Server, spec: ConfigCase["spec"]): Promise<StoredConfig> {
  await server.request({ method: "DELETE", path: `${path}/${spec.profile}` });
  const answer = await server.request({ method: "POST", path, body: config({ spec }) });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as StoredConfig;
}

export const patchConfig = (server: Server, name: string, body: object): Promise<ApiResponse> =>
  server.request({ method: "PATCH", path: `${path}/${name}`, body });

export const patchStatus = (server: Server, name: string, status: object): Promise<ApiResponse> =>
  server.request({ method: "PATCH", path: `${path}/${name}/status`, body: { status } });
