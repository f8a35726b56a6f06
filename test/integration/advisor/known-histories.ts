// Histories in which the surfaces of a config contradicted each other before, by the names of events and the reconciles after each.

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
  // A write replaces what somebody else has just rolled out.
  [
    ["correct drift", 1],
    ["Apply", 1],
    ["kernel arguments edited", 1],
  ],
  // A plan starts after a target that it leaves alone was changed.
  [
    ["correct drift", 1],
    ["MachineConfig restored", 1],
    ["an outage", 1],
    ["kernel arguments edited", 1],
    ["Apply", 1],
  ],
  // A plan starts over what nodes have taken over from somebody else, while an earlier plan waits for these nodes.
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
  // A plan without the deleted MachineConfig replaces the one that waits for it.
  [
    ["MachineConfig restored", 1],
    ["Apply", 2],
    ["MachineConfig deleted", 1],
    ["no kernel arguments", 2],
  ],
  // A plan waits for nodes that take over what it found in place, while their pool does not count them.
  [
    ["MachineConfig restored", 1],
    ["the pool does not count", 1],
    ["DryRun", 1],
    ["Apply", 2],
  ],
  // VMs become unreadable while nodes take over a configuration, and the rollout ends so.
  [
    ["nodes stop", 1],
    ["Apply", 3],
    ["VMs cannot be read", 2],
    ["VMs can be read", 1],
    ["VMs cannot be read", 1],
    ["nodes continue", 6],
  ],
  // A config is ignored while nodes take over what its plan has written, and another client writes the same object later.
  [
    ["Apply", 5],
    ["Ignore", 3],
    ["MachineConfig deleted", 3],
    ["MachineConfig restored", 3],
  ],
  // A config is ignored while nodes take over that its plan has deleted a MachineConfig.
  [
    ["Apply", 12],
    ["nodes stop", 1],
    ["no kernel arguments", 4],
    ["Ignore", 2],
    ["nodes continue", 3],
  ],
  // A config is ignored while nodes take over what its plan has written, and planned again.
  [
    ["nodes stop", 1],
    ["Apply", 4],
    ["Ignore", 1],
    ["DryRun", 2],
  ],
];
