// VirtPlatformConfigs as the API server serves them.

import { configKind } from "@virt/api";
import type { Resource } from "@virt/kube";

const { group, version, plural } = configKind;

export const configResource: Resource = { group, version, plural, isNamespaced: false };
