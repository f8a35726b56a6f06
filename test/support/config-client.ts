import { configKind, type Item, type Phase, type Spec, type Status } from "@virt/api";
import type { ApiUser } from "@virt/testkit";
import { expect, vi } from "vitest";

export type ConfigClient = {
  readonly create: (profile: string, spec?: Partial<Spec>) => Promise<void>;
  readonly edit: (name: string, spec: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly status: (name: string) => Promise<Status>;
  /** Replaces the whole status, like the advisor. */
  readonly record: (name: string, status: Status) => Promise<void>;
  /** Waits for a phase or for a condition of the status. */
  readonly until: (name: string, wanted: Phase | ((status: Status) => boolean)) => Promise<Status>;
};

const path = `/apis/${configKind.apiVersion}/${configKind.plural}`;

export function configClientFor(actor: ApiUser, hangsAfterMs = 120_000): ConfigClient {
  const status = async (name: string) => {
    const { body } = await actor.request({ path: `${path}/${name}` });
    return (body as { readonly status?: Status }).status ?? {};
  };
  const ok = async (request: Parameters<ApiUser["request"]>[0]) => {
    const answer = await actor.request(request);
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  };
  return {
    status,
    create: (profile, spec = {}) => {
      const { apiVersion, kind } = configKind;
      const body = { apiVersion, kind, metadata: { name: profile }, spec: { profile, ...spec } };
      return ok({ method: "POST", path, body });
    },
    edit: (name, spec) =>
      ok({ method: "PATCH", path: `${path}/${name}`, contentType: "application/merge-patch+json", body: { spec } }),
    remove: (name) => ok({ method: "DELETE", path: `${path}/${name}` }),
    record: async (name, recorded) => {
      const { body } = await actor.request({ path: `${path}/${name}` });
      await ok({ method: "PUT", path: `${path}/${name}/status`, body: { ...(body as object), status: recorded } });
    },
    until: async (name, wanted) => {
      const isIt = typeof wanted === "string" ? (seen: Status) => seen.phase === wanted : wanted;
      let seen: Status = {};
      const check = async () => {
        seen = await status(name);
        expect(isIt(seen) ? true : summary(seen)).toBe(true);
      };
      await vi.waitFor(check, { timeout: hangsAfterMs, interval: 50 });
      return seen;
    },
  };
}

function summary({ phase, review, items = [], conditions = [] }: Status): unknown {
  const said = conditions.filter(({ status }) => status === "True").map(({ type, message }) => `${type}: ${message}`);
  return { phase, review, items: items.map(({ name, state, message }) => `${name}: ${state}, ${message}`), said };
}

export function itemOf({ items = [] }: Status, name: string): Item {
  const item = items.find((one) => one.name === name);
  if (item === undefined) throw new Error(`there is no item ${name} among ${items.map((one) => one.name).join(", ")}`);
  return item;
}
