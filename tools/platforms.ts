// The platforms that the product is built, labelled and tested for, as Go and OCI images name them.

export const architectures = ["amd64", "arm64"] as const;

export const operatingSystem = "linux";
