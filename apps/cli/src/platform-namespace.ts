// Where the platform controller runs, unless a person says otherwise.

export const platformNamespace = "virt-platform-operator-system";
