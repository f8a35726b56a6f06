// Builds audit logs of a user, an operator and an API server for tests.

import { isMap, type Json, type JsonMap } from "@virt/objects";
import { readAuditedRequests } from "../invariants/audited-requests.ts";
import { buildHistory, type History, type HistoryScope } from "../invariants/history.ts";
import { phases } from "../invariants/phase-edges.ts";
import type { StoredCondition, StoredConfig, StoredItem, StoredStatus } from "../invariants/stored-config.ts";
import type { AuditEvent } from "../server/audit.ts";

export const account = "system:serviceaccount:virt-advisor-operator-system:manager";
const agent = (identity: string) => `virt-operator/v0.1.0 (advisor; ${identity})`;
const startMs = Date.parse("2026-01-01T00:00:00Z");

export const item: StoredItem = {
  name: "enable-psi-metrics",
  operation: "Apply",
  state: "Pending",
  diff: "--- a\n+++ b\n+psi=1\n",
  targetRef: { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "psi" },
  desiredState: {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "psi" },
    spec: { kernelArguments: ["psi=1"] },
  },
  reviewed: { uid: "target-uid", resourceVersion: "7" },
};

const target = { apiGroup: "machineconfiguration.openshift.io", resource: "machineconfigs", name: "psi" };

type AuditEventInput = Partial<AuditEvent> & { readonly query?: string };

export class AuditLogBuilder {
  readonly log: AuditEvent[] = [];
  #nowMs = startMs;
  #revision = 100;
  #config: StoredConfig | undefined;
  #deletions = 0;

  /** Advances the time of the log. Apart from this, only requests advance it, by a millisecond each. */
  advance(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  request({ query = "", ...event }: AuditEventInput): this {
    const received = new Date(this.#nowMs).toISOString();
    this.#nowMs += 1;
    this.log.push({
      stage: "ResponseComplete",
      verb: "patch",
      requestURI: `/somewhere${query}`,
      requestReceivedTimestamp: received,
      stageTimestamp: new Date(this.#nowMs).toISOString(),
      userAgent: agent("one"),
      user: { username: account },
      responseStatus: { code: 200 },
      ...event,
    });
    return this;
  }

  editSpec(spec: JsonMap): this {
    const uid = `u${this.#deletions + 1}`;
    const metadata = this.#config?.metadata ?? {
      name: "load-aware-rebalancing",
      uid,
      generation: 0,
      resourceVersion: "0",
    };
    const generation = metadata.generation + 1;
    const all = { profile: "load-aware-rebalancing", action: "DryRun", ...this.#config?.spec, ...spec };
    const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return this.#store({ ...this.#config, metadata: { ...metadata, generation }, spec: kept }, "ann", "");
  }

  /** Writes as the operator. Absent fields are unchanged. Conditions follow the phase. */
  writeStatus(status: StoredStatus): this {
    const last = this.#config;
    if (last === undefined) throw new Error("a log begins with an edit");
    const observed = { observedGeneration: last.metadata.generation };
    const next = { ...last.status, ...observed, conditions: conditionsOf(status.phase, last.status), ...status };
    return this.#store({ ...last, status: next }, account, "status");
  }

  /** Writes as another user. Absent fields are unchanged. */
  forgeStatus(status: StoredStatus): this {
    const last = this.#config;
    if (last === undefined) throw new Error("a log begins with an edit");
    return this.#store({ ...last, status: { ...last.status, ...status } }, "mallory", "status");
  }

  readConfig(): this {
    return this.request({ verb: "get", objectRef: configRef("") });
  }

  deleteConfig(): this {
    this.#config = undefined;
    this.#deletions += 1;
    return this.request({ verb: "delete", user: { username: "ann" }, objectRef: configRef("") });
  }

  /** Makes the last two requests concurrent, with their responses in reverse order. */
  swapAnswers(): this {
    this.log.push(...this.log.splice(-2).toReversed());
    return this;
  }

  applyTarget(differing: AuditEventInput & { readonly metadata?: JsonMap } = {}): this {
    const { metadata = { name: "psi", uid: "target-uid", resourceVersion: "9" }, ...event } = differing;
    const requestObject = { ...(isMap(item.desiredState) ? item.desiredState : {}), metadata };
    const query = "?fieldManager=virt-advisor-operator";
    return this.request({ query, objectRef: target, requestObject, ...event });
  }

  deleteTarget(preconditions?: Json, differing: AuditEventInput = {}): this {
    const requestObject = { kind: "DeleteOptions", ...(preconditions !== undefined && { preconditions }) };
    return this.request({ verb: "delete", objectRef: target, requestObject, ...differing });
  }

  renewLease(holderIdentity: string, leaseDurationSeconds = 15): this {
    const metadata = { name: "8f83cc6e.kubevirt.io", resourceVersion: `${++this.#revision}` };
    const objectRef = { apiGroup: "coordination.k8s.io", resource: "leases", name: metadata.name };
    const responseObject = { metadata, spec: { holderIdentity, leaseDurationSeconds } };
    return this.request({ verb: "update", objectRef, responseObject, userAgent: agent(holderIdentity) });
  }

  /** Stops after the start of the item: drafted, reviewed and approved. */
  startPlan(differing: Partial<StoredItem> = {}, spec: JsonMap = {}): this {
    const items = [{ ...item, ...differing }];
    const executedGeneration = 2;
    return this.editSpec(spec)
      .writeStatus({ phase: "Drafting" })
      .writeStatus({ phase: "ReviewRequired", planHash: "h1", items })
      .editSpec({ action: "Apply" })
      .writeStatus({ phase: "InProgress", executedGeneration })
      .readConfig()
      .writeStatus({ phase: "InProgress", items: items.map((one) => ({ ...one, state: "InProgress" })) });
  }

  completePlan(): this {
    return this.writeStatus({ phase: "Completed", items: [{ ...item, state: "Completed" }] });
  }

  #store(config: StoredConfig, username: string, subresource: string): this {
    const metadata = { ...config.metadata, resourceVersion: `${++this.#revision}` };
    this.#config = { ...config, metadata };
    const responseObject = { kind: "VirtPlatformConfig", ...this.#config };
    return this.request({ verb: "update", user: { username }, objectRef: configRef(subresource), responseObject });
  }
}

function configRef(subresource: string) {
  return {
    apiGroup: "advisor.kubevirt.io",
    resource: "virtplatformconfigs",
    name: "load-aware-rebalancing",
    subresource,
  };
}

function conditionsOf(phase: string | undefined, last: StoredStatus | undefined): readonly StoredCondition[] {
  return phases.map((type) => {
    const before = last?.conditions?.find((condition) => condition.type === type);
    const status = type === phase ? "True" : "False";
    const isKept = before?.status === status;
    return isKept ? before : { type, status, lastTransitionTime: `${last?.phase ?? "new"} to ${phase}` };
  });
}

/** Returns a function that lists the messages of a rule for a log. */
export const violationsBy =
  (rule: (history: History) => readonly { readonly message: string }[]) =>
  ({ log }: AuditLogBuilder, scope: Partial<HistoryScope> = {}): readonly string[] =>
    rule(buildHistory(readAuditedRequests(log), { accounts: [account], ...scope })).map(({ message }) => message);
