// The rollout page: pools and nodes, findings, the timeline, and instructions to stop the rollout.

import { Title } from "@patternfly/react-core";
import type { VirtPlatformConfig } from "@virt/api";
import {
  expectedRollout,
  type FindingView,
  ignorePatch,
  isRolloutCurrent,
  keptOptionsText,
  planPatches,
  profileRow,
  progressCount,
  type RolloutCauseView,
  unrenderedPools,
  viewRollout,
} from "@virt/views";
import { useMemo } from "react";
import { gridOf } from "./data/pool-grid.ts";
import { useConfigs, useKind, useNow, useObjects, useWanted } from "./data/use-cluster.ts";
import { RollingPoolAlerts, useRollingPools } from "./overview/rolling-pools.tsx";
import { ConfigButton } from "./parts/config-actions.tsx";
import { PhaseLabel } from "./parts/labels.tsx";
import { PageHead } from "./parts/page-head.tsx";
import { PhaseMessage } from "./parts/phase-message.tsx";
import { chooseConfig, ProfilePicker } from "./parts/profile-picker.tsx";
import { EmptyPage, Loading, Need } from "./parts/states.tsx";
import { ExpectedOrder } from "./rollout/expected-order.tsx";
import { Findings } from "./rollout/findings.tsx";
import { ItemTable } from "./rollout/item-table.tsx";
import { PoolAlerts, PoolGrid } from "./rollout/pool-grid.tsx";
import { quietText } from "./rollout/quiet-text.ts";
import { StoppedVmAlert } from "./rollout/stopped-vms.tsx";
import { Timeline } from "./rollout/timeline.tsx";
import { strings } from "./strings.ts";

const texts = strings.rollout;

export function RolloutPage({ name }: { readonly name: string | undefined }) {
  useWanted("configs", "nodes", "pools", "machineConfigNodes", "vms", "advisorEvents", "reports");
  return (
    <>
      <PageHead title={strings.pages.rollout} />
      <Need of="configs" what={strings.profiles}>
        <ChosenRollout name={name} />
      </Need>
    </>
  );
}

function ChosenRollout({ name }: { readonly name: string | undefined }) {
  const configs = useConfigs();
  const config =
    configs.find(({ status }) => name === undefined && status?.phase === "InProgress") ??
    chooseConfig(configs, name, ({ status }) => status?.rollout !== undefined);
  return (
    <>
      <ProfilePicker page="rollout" chosen={config?.metadata.name ?? ""} />
      {config === undefined ? (
        <EmptyPage
          title={name === undefined ? strings.overview.noProfiles : strings.plan.noSuch(name)}
          text={strings.plan.noSuchText}
        />
      ) : (
        <RolloutOf key={config.metadata.name} config={config} />
      )}
    </>
  );
}

function RolloutOf({ config }: { readonly config: VirtPlatformConfig }) {
  const now = useNow();
  const { name } = config.metadata;
  const { status = {} } = config;
  const view = viewRollout(config, now);
  const expected = expectedRollout(config);
  const row = profileRow(config, now);
  const count = progressCount(row);
  // Rollouts by other plans, the platform controller or other clients.
  const others = useRollingPools().filter(({ causes }) => causes.some((cause) => !isOfPlan(cause, name)));
  const onNodes = useNodeNames();
  const beside = (view?.findings ?? []).filter(({ node = "" }) => onNodes.has(node));
  return (
    <>
      <div className="vc-item-head">
        <strong>{name}</strong>
        <PhaseLabel phase={status.phase} isStalled={row.isStalled} />
        {count === undefined ? null : <span>{count}</span>}
        {view?.remaining === undefined ? null : <span>{`${texts.remaining}: ${view.remaining.text}`}</span>}
      </div>
      {expected !== undefined ? null : view === undefined ? <p>{texts.noneText(name)}</p> : <p>{view.summary}</p>}
      <PhaseMessage config={config} />
      {others.length === 0 ? null : <RollingPoolAlerts rolling={others} hasLinks={false} />}
      {view === undefined || expected !== undefined || !isRolloutCurrent(view) ? null : (
        <Findings view={view} beside={beside} />
      )}
      {view?.stopped === undefined || expected !== undefined ? null : <StoppedVmAlert {...view.stopped} />}
      {status.phase === "InProgress" ? <Stops config={config} /> : null}
      {expected === undefined ? null : (
        <ExpectedOrder title={quietText(config, now)} hasPlan={row.planHash !== undefined} pools={expected} />
      )}
      <Pools
        config={config}
        findings={expected === undefined ? Map.groupBy(beside, ({ node = "" }) => node) : noFindings}
        isRolling={expected === undefined || others.length > 0}
      />
      {(status.items ?? []).length === 0 ? null : (
        <section aria-labelledby="items-title" className="vc-section">
          <Title headingLevel="h2" size="lg" id="items-title">
            {texts.items}
          </Title>
          <ItemTable items={status.items ?? []} />
        </section>
      )}
      <Timeline config={config} />
    </>
  );
}

const noFindings: ReadonlyMap<string, readonly FindingView[]> = new Map();

function isOfPlan(cause: RolloutCauseView, name: string): boolean {
  return cause.kind === "plan" && cause.configs.every((config) => config === name);
}

function Stops({ config }: { readonly config: VirtPlatformConfig }) {
  const kept = keptOptionsText(config);
  return (
    <section aria-labelledby="stops-title" className="vc-section vc-stops">
      <Title headingLevel="h2" size="lg" id="stops-title">
        {texts.stops}
      </Title>
      <ConfigButton config={config} label={texts.stop} patches={planPatches(config)} done={texts.stopped} />
      <p className="vc-quiet">{texts.stopText}</p>
      <ConfigButton config={config} label={texts.ignore} patches={[ignorePatch]} done={texts.ignored} />
      <p className="vc-quiet">{texts.ignoreText}</p>
      {kept === undefined ? null : <p className="vc-quiet">{`${kept}.`}</p>}
    </section>
  );
}

function useNodeNames(): ReadonlySet<string> {
  const nodes = useObjects("nodes");
  const isGridShown = useKind("pools").state === "listed";
  return useMemo(() => new Set(isGridShown ? nodes.map(({ metadata }) => metadata.name) : []), [nodes, isGridShown]);
}

/** Returns the first kind that the node grid needs but the user is not allowed to list, if any. */
function useForbidden(): string | undefined {
  const [pools, nodes] = [useKind("pools"), useKind("nodes")];
  return [pools, nodes].find(({ state }) => state === "forbidden")?.resource;
}

type PoolsProps = {
  readonly config: VirtPlatformConfig;
  readonly findings: ReadonlyMap<string, readonly FindingView[]>;
  /** False if the rollout has ended. Its node counts are then out of date, so the page shows only pool problems. */
  readonly isRolling: boolean;
};

function Pools({ config, findings, isRolling }: PoolsProps) {
  const { state } = useKind("pools");
  const nodeState = useKind("nodes");
  const nodes = useObjects("nodes");
  const pools = useObjects("pools");
  const machineConfigNodes = useObjects("machineConfigNodes");
  const vmObjects = useObjects("vms");
  const vmState = useKind("vms").state;
  const vms = vmState === "listed" ? vmObjects : undefined;
  const grid = useMemo(
    () => gridOf({ nodes, pools, machineConfigNodes, vms, unrendered: unrenderedPools(config, pools) }),
    [config, nodes, pools, machineConfigNodes, vms],
  );
  const forbidden = useForbidden();
  if (state === "absent") return <p>{texts.noPools}</p>;
  if (state === "loading" || nodeState.state === "loading") return <Loading what={texts.nodes} />;
  if (forbidden !== undefined) return <p>{texts.forbidden(forbidden)}</p>;
  const { disruption = [], rollout } = config.status ?? {};
  const concerned = new Set([
    ...disruption.map(({ pool }) => pool),
    ...(rollout?.pools ?? []).map((pool) => pool.name),
  ]);
  const ordered = [
    ...grid.filter((pool) => concerned.has(pool.name)),
    ...grid.filter((pool) => !concerned.has(pool.name)),
  ];
  if (!isRolling) return ordered.map((pool) => <PoolAlerts key={pool.name} pool={pool} />);
  return (
    <>
      {ordered.map((pool) => (
        <PoolGrid key={pool.name} pool={pool} since={sinceOf(config)} findings={findings} />
      ))}
    </>
  );
}

function sinceOf(config: VirtPlatformConfig): ReadonlyMap<string, string> {
  return new Map((config.status?.rollout?.nodes ?? []).map(({ name, phase, since }) => [`${name} ${phase}`, since]));
}
