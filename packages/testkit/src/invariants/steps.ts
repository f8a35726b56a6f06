// The steps that the controller itself took with a config: its own status writes, each with what was stored before.

import type { Audited } from "./audited.ts";
import type { ConfigVersion, History } from "./history.ts";
import type { StoredConfig } from "./stored-config.ts";

/** `before` is the version right before, whoever wrote it; absent for an object that is new. */
export type Step = { readonly before: ConfigVersion | undefined; readonly after: StoredConfig; readonly by: Audited };

export function ownSteps({ configs, scope }: History): readonly Step[] {
  return [...configs.values()].flatMap((versions) =>
    versions.flatMap(({ by, object }, at) => {
      if (object === undefined || by.subresource !== "status" || !scope.accounts.includes(by.account)) return [];
      const last = versions[at - 1];
      const isSame = last?.object?.metadata.uid === object.metadata.uid;
      return [{ before: isSame ? last : undefined, after: object, by }];
    }),
  );
}
