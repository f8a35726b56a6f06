export const architectures = ["amd64", "arm64"] as const;

export const operatingSystem = "linux";
