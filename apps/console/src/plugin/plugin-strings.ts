export const pluginStrings = {
  yaml: "YAML",
  events: "Events",
  noPlanForPool: (pool: string) => `No advisor plan changes pool ${pool}.`,
  planForPool: (config: string, phase: string) => `${config}${phase === "" ? "" : ` (${phase})`} changes this pool`,
  noNodes: (pool: string) => `Pool ${pool} has no nodes, or you do not have permission to list nodes.`,
  approve: "Approve…",
  approveText: "Review the plan, then approve or reject it",
  nothingToApprove: (phase: string) =>
    `There is no plan to approve: the phase is ${phase === "" ? "still unknown" : phase}.`,
};
