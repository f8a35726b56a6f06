// What tests use of the fault proxy.

export type { Call, Verb } from "./call.ts";
export { type FaultProxy, type FaultProxySettings, startFaultProxy } from "./fault-proxy.ts";
export type { Fault, FrameMatcher, Matcher, Plan, Treatment, Trigger } from "./plan.ts";
export { type Faults, plansFrom, usualFaults } from "./plans-from.ts";
export type { Traced } from "./trace.ts";
