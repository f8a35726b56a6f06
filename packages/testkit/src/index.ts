// The public API for tests, benchmarks and the demo.

export { obtainControllerManager } from "./binaries/controller-manager.ts";
export { obtainBinaries } from "./binaries/obtain-binaries.ts";
export type {
  Fault,
  FaultPlan,
  FaultTrigger,
  FrameMatcher,
  FrameTreatment,
  RequestMatcher,
} from "./fault-proxy/fault-plan.ts";
export { type FaultProxy, type FaultProxyOptions, startFaultProxy } from "./fault-proxy/fault-proxy.ts";
export { defaultFaults, type FaultSet, generateFaultPlans } from "./fault-proxy/generate-plans.ts";
export type { RequestInfo, TracedRequest, Verb } from "./fault-proxy/request-info.ts";
export { checkInvariants, type InvariantReport, type WriteCounts } from "./invariants/check-invariants.ts";
export type { HistoryScope, InvariantName, Violation } from "./invariants/history.ts";
export { inRepository } from "./repository.ts";
export { reply, type ScriptedReply, type ScriptedServer, startScriptedServer } from "./scripted-server.ts";
export type { AuditEvent } from "./server/audit.ts";
export { borrowServer, emptySetup, poolVariable, type ServerSetup } from "./server/borrow-server.ts";
export { freePorts } from "./server/control-plane.ts";
export type { Crd } from "./server/crds.ts";
export type { ProcessSpec } from "./server/keeper.ts";
export { type ApiUser, type KubectlResult, type Server, startServer } from "./server/server.ts";
export { type ServerPool, startServerPool } from "./server/server-pool.ts";
export { type KeptProcesses, startKeptProcesses } from "./server/start-keeper.ts";
export type { ApiRequest, ApiResponse } from "./server/test-client.ts";
export { type GateMode, startTcpGate, type TcpGate } from "./tcp-gate.ts";
export { VirtualClock } from "./virtual-clock.ts";
