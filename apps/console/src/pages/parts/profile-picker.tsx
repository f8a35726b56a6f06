// Selects the profile to show. Uses links, because each profile has its own URL.

import type { VirtPlatformConfig } from "@virt/api";
import { useConfigs } from "../data/use-cluster.ts";
import { hrefOf } from "../routes.ts";
import { strings } from "../strings.ts";

type ProfilePickerProps = { readonly page: "plan" | "rollout"; readonly chosen: string };

export function ProfilePicker({ page, chosen }: ProfilePickerProps) {
  const configs = useConfigs();
  if (configs.length < 2 && configs.some(({ metadata }) => metadata.name === chosen)) return null;
  return (
    <nav aria-label={strings.profiles} className="vc-picker">
      <ul>
        {configs.map(({ metadata: { name } }) => (
          <li key={name}>
            <a href={hrefOf({ page, name })} {...(name === chosen && { "aria-current": "page" as const })}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export function chooseConfig(
  configs: readonly VirtPlatformConfig[],
  name: string | undefined,
  isWorthwhile: (config: VirtPlatformConfig) => boolean,
): VirtPlatformConfig | undefined {
  if (name !== undefined) return configs.find(({ metadata }) => metadata.name === name);
  return configs.find(isWorthwhile) ?? configs[0];
}
