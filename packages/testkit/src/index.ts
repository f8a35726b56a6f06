// What tests, benchmarks and the demo use to get a real cluster.

export { obtainBinaries } from "./binaries/obtain.ts";
export * from "./fault-proxy/index.ts";
export * from "./invariants/index.ts";
export { inRepository } from "./repository.ts";
export { type Reply, reply, type ScriptedServer, startScriptedServer } from "./scripted-server.ts";
export type { AuditEvent } from "./server/audit.ts";
export type { Crd } from "./server/crds.ts";
export type { Program } from "./server/keeper.ts";
export { type Kept, keepPrograms } from "./server/kept.ts";
export { freePorts } from "./server/ports.ts";
export { type Actor, type Output, type Server, startServer } from "./server/server.ts";
export type { Answer, Request } from "./server/wire.ts";
export { type GateMode, startTcpGate, type TcpGate } from "./tcp-gate.ts";
export { VirtualClock } from "./virtual-clock.ts";
