// What a controller gets from the process that it runs in, and what it brings.

import type { ReconcileFacts } from "@virt/advisor";
import type {
  Clock,
  Controller,
  Discovery,
  EventInput,
  InformerSpec,
  InformerState,
  Log,
  Reader,
  Registry,
  Routes,
} from "@virt/kube";
import type { ControllerName } from "./flags.ts";
import type { Settings } from "./settings.ts";

export type ControllerContext = {
  readonly settings: Settings;
  readonly version: ReconcileFacts["operator"]["version"];
  /** Where the process itself lives. */
  readonly namespace: string;
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly discovery: Pick<Discovery, "find" | "forgetVersion">;
  /** Reads single objects, for whoever asks outside a reconcile. */
  readonly reader: (signal: AbortSignal) => Reader;
  /** To be called when the set of wanted informers may have changed. */
  readonly refresh: () => void;
  /** Adds a key to the work queue of a controller of this factory. */
  readonly enqueue: (controller: string, key: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Its priority follows from its reason. */
  readonly recordEvent: (event: Omit<EventInput, "priority">) => void;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
};

export type ControllerInstance = {
  /** They share the lease and the metrics of the factory. */
  readonly controllers: readonly Controller[];
  readonly informers: () => readonly InformerSpec[];
  /** For people who look for a fault, behind authentication. */
  readonly pages?: Routes;
};

/** The same event is written again at most this often. */
export type ControllerFactory = {
  readonly name: ControllerName;
  readonly fieldManager: string;
  readonly eventRepeatMs: number;
  readonly create: (context: ControllerContext) => ControllerInstance;
};
