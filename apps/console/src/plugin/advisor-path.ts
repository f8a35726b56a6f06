// Where pages are in the console, below its own base path.

export const advisorPath = "/virt-advisor";
/** Of the plugin of OpenShift Virtualization: density, KSM and more of the HyperConverged. */
export const settingsPath = "/k8s/all-namespaces/virtualization-settings/cluster";
