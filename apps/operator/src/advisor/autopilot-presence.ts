// Follows the state of virt-platform-autopilot in the advisor's caches.

import type { ObservedAutopilot } from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import { type AutopilotMemory, autopilotInformer, followAutopilot, lastAutopilotWrite } from "@virt/cluster";
import type { Clock, InformerSpec, InformerState } from "@virt/kube";

type PresenceOptions = {
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly hcoNamespace: string;
  readonly clock: Pick<Clock, "wall" | "monotonic">;
};

/** One instance serves all configs, because a cluster has one autopilot. */
export class AutopilotPresence {
  readonly #options: PresenceOptions;
  #memory: AutopilotMemory | undefined;
  #lastWriteMs = 0;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Returns the state. Without a HyperConverged, the autopilot counts as active if any Deployment of it exists. */
  observe(hco: KubeObject | undefined): ObservedAutopilot {
    const { clock } = this.#options;
    const { items, unreadReason } = this.#deployments();
    if (hco === undefined) return { state: items.length > 0 || unreadReason !== undefined ? "Active" : "Absent" };
    const deployment = items.find(({ metadata }) => metadata.namespace === hco.metadata.namespace);
    const time = { wallMs: clock.wall(), monotonicMs: clock.monotonic() };
    const observed = { hco, deployment, unreadReason, lastWriteMs: this.#lastWriteMs };
    this.#memory = followAutopilot(this.#memory, observed, time);
    const { state, dueMs } = this.#memory;
    return { state, ...(dueMs !== undefined && { dueMs: Math.ceil(time.wallMs + dueMs - time.monotonicMs) }) };
  }

  /** Notes the time of a write of the autopilot to any object, because it is `Off` only after its last write. */
  noticeChange(after: KubeObject | undefined): void {
    this.#lastWriteMs = Math.max(this.#lastWriteMs, (after && lastAutopilotWrite(after)) ?? 0);
  }

  #deployments(): { readonly items: readonly KubeObject[]; readonly unreadReason?: string } {
    const informer = this.#options.find(autopilotInformer(this.#options.hcoNamespace));
    const items = [...(informer?.store.items() ?? [])];
    const unreadReason = informer === undefined || informer.state === "starting" ? "not synced" : undefined;
    const reason = informer?.lastError ?? unreadReason;
    return { items, ...(reason !== undefined && { unreadReason: reason }) };
  }
}
