// The Lease object of coordination.k8s.io/v1: who holds it, and what is written to take, renew or release it.

import { microTime } from "./micro-time.ts";

type LeaseSpec = {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
};

/**
 * As it is on the wire: what else is in it is kept and sent back. The uid above all: an update without it creates a lease
 * again that somebody deleted, whatever resourceVersion it carries (seen: 201); with it the answer is 409.
 */
export type LeaseObject = {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly spec?: LeaseSpec;
};

/** Who wants the lease. `identity` is unique to the process: a restarted one is somebody else. */
export type Candidate = {
  readonly name: string;
  readonly namespace: string;
  readonly identity: string;
  readonly durationSeconds: number;
};

/** Empty: it was released. */
export function holderOf(lease: LeaseObject): string {
  return lease.spec?.holderIdentity ?? "";
}

export function newLease(me: Candidate, wallMs: number): LeaseObject {
  const metadata = { name: me.name, namespace: me.namespace };
  const spec = { ...held(me, wallMs), acquireTime: microTime(wallMs), leaseTransitions: 0 };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}

/** Renews our own lease, or takes one that is free: then the transition is counted. */
export function heldLease(lease: LeaseObject, me: Candidate, wallMs: number): LeaseObject {
  const transitions = lease.spec?.leaseTransitions ?? 0;
  const taken =
    holderOf(lease) === me.identity ? {} : { acquireTime: microTime(wallMs), leaseTransitions: transitions + 1 };
  return { ...lease, spec: { ...lease.spec, ...held(me, wallMs), ...taken } };
}

/** Nobody's, and dead after a second for those who do not look at the holder. */
export function releasedLease(lease: LeaseObject, wallMs: number): LeaseObject {
  const now = microTime(wallMs);
  const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
  return { ...lease, spec };
}

function held({ identity, durationSeconds }: Candidate, wallMs: number): LeaseSpec {
  return { holderIdentity: identity, leaseDurationSeconds: durationSeconds, renewTime: microTime(wallMs) };
}
