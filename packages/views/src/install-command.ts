// The command that installs the operators while no release is published.

/** Requires a checkout of this project and an image; see docs/OPENSHIFT_DEPLOYMENT.md. */
export const installCommand = "make deploy IMG=<registry>/virt-operators:<tag>";
