// Alerts for all updating pools, regardless of the cause.

import { Alert, AlertActionLink } from "@patternfly/react-core";
import { platformWritesOf, type RollingPool, rollingPools, rollingPoolText } from "@virt/views";
import { useMemo } from "react";
import { useConfigs, useKind, useObjects } from "../data/use-cluster.ts";
import { hrefOf } from "../routes.ts";
import { strings } from "../strings.ts";

const texts = strings.overview;

export function useRollingPools(): readonly RollingPool[] {
  const pools = useObjects("pools");
  const configs = useConfigs();
  const reports = useObjects("reports");
  const { state } = useKind("configs");
  return useMemo(() => {
    const known = state === "listed" || state === "absent" ? configs : undefined;
    return rollingPools({ pools, configs: known, platformWrites: platformWritesOf(reports) });
  }, [pools, configs, state, reports]);
}

export function RollingPools() {
  const { state, resource } = useKind("pools");
  const rolling = useRollingPools();
  if (state === "forbidden") return <p className="vc-quiet">{texts.poolsForbidden(resource)}</p>;
  if (rolling.length === 0) return null;
  return <RollingPoolAlerts rolling={rolling} hasLinks />;
}

type RollingPoolAlertsProps = { readonly rolling: readonly RollingPool[]; readonly hasLinks: boolean };

export function RollingPoolAlerts({ rolling, hasLinks }: RollingPoolAlertsProps) {
  return (
    <section aria-label={texts.rollingPools} data-testid="rolling-pools" className="vc-section">
      {rolling.map((pool) => (
        <Alert
          key={pool.name}
          isInline
          variant={pool.degraded > 0 ? "danger" : pool.isPaused ? "warning" : "info"}
          title={rollingPoolText(pool)}
          {...(hasLinks && {
            actionLinks: (
              <AlertActionLink component="a" href={rolloutHref(pool)} aria-label={`${texts.rollout}: ${pool.name}`}>
                {texts.rollout}
              </AlertActionLink>
            ),
          })}
        />
      ))}
    </section>
  );
}

function rolloutHref({ causes }: RollingPool): string {
  const [name] = causes.flatMap((cause) => (cause.kind === "plan" ? cause.configs : []));
  return hrefOf({ page: "rollout", ...(name !== undefined && { name }) });
}
