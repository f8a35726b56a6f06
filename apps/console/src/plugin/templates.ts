// What the console's YAML editor begins a new VirtPlatformConfig with.

export const configTemplate = `# Shows what load-aware rebalancing would change. Nothing is applied until action is Apply.
apiVersion: advisor.kubevirt.io/v1alpha1
kind: VirtPlatformConfig
metadata:
  name: load-aware-rebalancing
spec:
  profile: load-aware-rebalancing
  action: DryRun
`;
