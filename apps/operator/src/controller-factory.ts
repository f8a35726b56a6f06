// The interface between a controller and the process that runs it.

import type { ReconcileFacts } from "@virt/advisor";
import type {
  Clock,
  ClusterReader,
  Controller,
  Discovery,
  EventInput,
  InformerSpec,
  InformerState,
  Log,
  Registry,
  Routes,
} from "@virt/kube";
import type { ControllerName } from "./flags.ts";
import type { Settings } from "./settings.ts";

export type ControllerContext = {
  readonly settings: Settings;
  readonly version: ReconcileFacts["operator"]["version"];
  readonly namespace: string;
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly discovery: Pick<Discovery, "find" | "forgetVersion">;
  readonly reader: (signal: AbortSignal) => ClusterReader;
  /** Call it when the set of required informers may have changed. */
  readonly refresh: () => void;
  readonly enqueue: (controller: string, key: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Records an event. The reason determines its priority. */
  readonly recordEvent: (event: Omit<EventInput, "priority">) => void;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
};

export type ControllerInstance = {
  readonly controllers: readonly Controller[];
  readonly informers: () => readonly InformerSpec[];
  /** The debug pages, which require authentication. */
  readonly pages?: Routes;
};

/** `eventRepeatMs` is the minimum interval between identical events. */
export type ControllerFactory = {
  readonly name: ControllerName;
  readonly fieldManager: string;
  readonly eventRepeatMs: number;
  readonly create: (context: ControllerContext) => ControllerInstance;
};
