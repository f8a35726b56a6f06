// The template for new VirtPlatformConfigs in the console's YAML editor.

export const configTemplate = `# Shows what load-aware rebalancing would change. Nothing is applied until action is Apply.
apiVersion: advisor.kubevirt.io/v1alpha1
kind: VirtPlatformConfig
metadata:
  name: load-aware-rebalancing
spec:
  profile: load-aware-rebalancing
  action: DryRun
`;
