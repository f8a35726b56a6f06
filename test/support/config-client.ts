import { configKind, type Item, type Phase, type Spec, type Status } from "@virt/api";
import type { ApiUser } from "@virt/testkit";
import { expect, vi } from "vitest";

export type ConfigClient = {
  readonly create: (profile: string, spec?: Partial<Spec>) => Promise<void>;
  readonly edit: (name: string, spec: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Creates a config with DryRun and waits for its review. */
  readonly draft: (profile: string, spec?: Partial<Spec>) => Promise<Status>;
  /** Creates a config with Apply and waits for its completion. */
  readonly complete: (profile: string, spec?: Partial<Spec>) => Promise<Status>;
  /** Sets the action to Apply and waits for the completion. */
  readonly approve: (name: string, spec?: Readonly<Record<string, unknown>>) => Promise<Status>;
  /** Requests the plan again with DryRun, approves it and waits for its completion. */
  readonly reapprove: (name: string) => Promise<Status>;
  readonly remove: (name: string) => Promise<void>;
  readonly status: (name: string) => Promise<Status>;
  /** Replaces the whole status, like the advisor. */
  readonly record: (name: string, status: Status) => Promise<void>;
  /** Waits for a phase or for a condition of the status, and for a generation of the spec if given. */
  readonly until: (name: string, wanted: Phase | ((status: Status) => boolean), generation?: number) => Promise<Status>;
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
  const create: ConfigClient["create"] = (profile, spec = {}) => {
    const { apiVersion, kind } = configKind;
    const body = { apiVersion, kind, metadata: { name: profile }, spec: { profile, ...spec } };
    return ok({ method: "POST", path, body });
  };
  const edit: ConfigClient["edit"] = (name, spec) =>
    ok({ method: "PATCH", path: `${path}/${name}`, contentType: "application/merge-patch+json", body: { spec } });
  const until: ConfigClient["until"] = async (name, wanted, generation) => {
    const hasIt = typeof wanted === "string" ? (seen: Status) => seen.phase === wanted : wanted;
    const isIt = (seen: Status) => hasIt(seen) && (generation === undefined || seen.observedGeneration === generation);
    let seen: Status = {};
    const check = async () => {
      seen = await status(name);
      expect(isIt(seen) ? true : summary(seen)).toBe(true);
    };
    await vi.waitFor(check, { timeout: hangsAfterMs, interval: 50 });
    return seen;
  };
  const approve: ConfigClient["approve"] = async (name, spec) => {
    await edit(name, { action: "Apply", ...spec });
    return until(name, "Completed");
  };
  return {
    status,
    create,
    edit,
    until,
    approve,
    draft: async (profile, spec) => {
      await create(profile, { action: "DryRun", ...spec });
      return until(profile, "ReviewRequired");
    },
    complete: async (profile, spec) => {
      await create(profile, { action: "Apply", ...spec });
      return until(profile, "Completed");
    },
    reapprove: async (name) => {
      await edit(name, { action: "DryRun" });
      return approve(name);
    },
    remove: (name) => ok({ method: "DELETE", path: `${path}/${name}` }),
    record: async (name, recorded) => {
      const { body } = await actor.request({ path: `${path}/${name}` });
      await ok({ method: "PUT", path: `${path}/${name}/status`, body: { ...(body as object), status: recorded } });
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
