// How to install the operators while no release is published.

/** Requires a checkout of this project and an image, as docs/OPENSHIFT_DEPLOYMENT.md describes. */
export const installCommand = "make deploy IMG=<registry>/virt-operators:<tag>";
