// The kinds that a plan may delete.

/**
 * A deletion depends on the field owners of the object, so the informers of these kinds keep them. A KubeletConfig is
 * not among them: its deletion reboots nodes, and no item follows that.
 */
export const deletableKinds: ReadonlySet<string> = new Set(["MachineConfig", "MigrationPolicy", "NodeHealthCheck"]);
