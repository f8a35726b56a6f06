// The texts that only the plugin has; all others are those of the pages.

export const pluginStrings = {
  yaml: "YAML",
  events: "Events",
  noPlanForPool: (pool: string) => `No plan of the advisor changes pool ${pool}.`,
  planForPool: (config: string, phase: string) => `${config}${phase === "" ? "" : ` (${phase})`} changes this pool`,
  noNodes: (pool: string) => `Pool ${pool} has no nodes, or you may not list nodes.`,
  approve: "Approve…",
  approveText: "Read the plan, then approve or reject it",
  nothingToApprove: (phase: string) =>
    `There is no plan to approve: the phase is ${phase === "" ? "not known yet" : phase}.`,
};
