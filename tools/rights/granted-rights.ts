import { loadAll } from "js-yaml";
import type { UsedRight } from "./used-rights.ts";

export type GrantedRight = UsedRight;

type Role = {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
};

export function grantedRights(account: string, manifest: string): readonly GrantedRight[] {
  const rules = (loadAll(manifest) as readonly Role[]).flatMap((role) => role.rules);
  return rules.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) => {
          const right = { account, verb, group, resource };
          return resourceNames === undefined ? [right] : resourceNames.map((name) => ({ ...right, name }));
        }),
      ),
    ),
  );
}

/** Returns a string such as `patch machineconfigs.machineconfiguration.openshift.io 50-virt-swap-enable`. */
export function rightText({ verb, group, resource, name = "*" }: GrantedRight): string {
  return `${verb} ${group === "" ? resource : `${resource}.${group}`} ${name}`;
}
