// Histories that once led to contradictions between surfaces: event names and the number of reconciles after each.

export type KnownHistory = readonly (readonly [event: string, reconciles: number])[];

export const knownHistories: readonly KnownHistory[] = [
  // A plan ends with errors while an applied target is deleted.
  [
    ["Apply", 3],
    ["continue after failures", 4],
    ["the API server refuses writes", 1],
    ["no kernel arguments", 2],
    ["settings deleted", 2],
  ],
  // A write replaces another client's recent rollout.
  [
    ["correct drift", 1],
    ["Apply", 1],
    ["kernel arguments edited", 1],
  ],
  // A plan starts after a change of a target that it leaves unchanged.
  [
    ["correct drift", 1],
    ["MachineConfig restored", 1],
    ["an outage", 1],
    ["kernel arguments edited", 1],
    ["Apply", 1],
  ],
  // A plan starts over another client's rollout, while an earlier plan waits for the same nodes.
  [
    ["MachineConfig restored", 1],
    ["Apply", 1],
    ["kernel arguments edited", 1],
    ["another size", 2],
  ],
  // Another client deletes a MachineConfig that the plan found in place.
  [
    ["the API server refuses writes", 1],
    ["MachineConfig restored", 1],
    ["Apply", 1],
    ["continue after failures", 3],
    ["MachineConfig deleted", 3],
  ],
  // A plan without the deleted MachineConfig replaces the plan that waits for it.
  [
    ["MachineConfig restored", 1],
    ["Apply", 2],
    ["MachineConfig deleted", 1],
    ["no kernel arguments", 2],
  ],
  // A plan waits for another client's rollout while the pool does not report node counts.
  [
    ["MachineConfig restored", 1],
    ["the pool does not count", 1],
    ["DryRun", 1],
    ["Apply", 2],
  ],
  // VMs become unreadable during a rollout and stay so until its end.
  [
    ["nodes stop", 1],
    ["Apply", 3],
    ["VMs cannot be read", 2],
    ["VMs can be read", 1],
    ["VMs cannot be read", 1],
    ["nodes continue", 6],
  ],
  // A config is ignored during its rollout, and another client writes the same object later.
  [
    ["Apply", 5],
    ["Ignore", 3],
    ["MachineConfig deleted", 3],
    ["MachineConfig restored", 3],
  ],
  // A config is ignored while nodes roll out the deletion of a MachineConfig.
  [
    ["Apply", 12],
    ["nodes stop", 1],
    ["no kernel arguments", 4],
    ["Ignore", 2],
    ["nodes continue", 3],
  ],
  // A config is ignored during its rollout, and planned again.
  [
    ["nodes stop", 1],
    ["Apply", 4],
    ["Ignore", 1],
    ["DryRun", 2],
  ],
];
