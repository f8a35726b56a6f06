// The components that the OpenShift console mounts: pages, list and details of VirtPlatformConfigs, and tabs.

import { HorizontalNav, ResourceEventStream, ResourceYAMLEditor } from "@openshift-console/dynamic-plugin-sdk";
import type { KubeObject } from "@virt/api";
import { unrenderedPools, viewRollout } from "@virt/views";
import { Suspense, useMemo } from "react";
import { gridOf } from "../pages/data/pool-grid.ts";
import { useConfigs, useKind, useNow, useObjects, useWanted } from "../pages/data/use-cluster.ts";
import { OverviewPage } from "../pages/overview-page.tsx";
import { EmptyPage, Need } from "../pages/parts/states.tsx";
import { PlanPage } from "../pages/plan-page.tsx";
import { PoolGrid } from "../pages/rollout/pool-grid.tsx";
import { RolloutPage } from "../pages/rollout-page.tsx";
import { RoutedPage } from "../pages/routed-page.tsx";
import { hrefOf } from "../pages/routes.ts";
import { strings } from "../pages/strings.ts";
import { PageRow, PluginShell, useAdvisorRoute } from "./plugin-shell.tsx";
import { pluginStrings } from "./plugin-strings.ts";
import "./plugin.css";

export function AdvisorPage() {
  const route = useAdvisorRoute();
  return (
    <PluginShell>
      <PageRow current={route.page} />
      <RoutedPage route={route} />
    </PluginShell>
  );
}

export function ConfigListPage() {
  return (
    <PluginShell>
      <PageRow current="overview" />
      <OverviewPage />
    </PluginShell>
  );
}

export function ConfigDetailsPage({ name }: { readonly name: string }) {
  return (
    <PluginShell>
      <Need of="configs" what={strings.profiles}>
        <ConfigTabs name={name} />
      </Need>
    </PluginShell>
  );
}

function ConfigTabs({ name }: { readonly name: string }) {
  const config = useConfigs().find(({ metadata }) => metadata.name === name);
  const pages = useMemo(
    () => [
      { href: "", name: strings.pages.plan, component: () => <PlanPage name={name} /> },
      { href: "rollout", name: strings.pages.rollout, component: () => <RolloutPage name={name} /> },
      { href: "yaml", name: pluginStrings.yaml, component: () => <ConfigYaml name={name} /> },
      { href: "events", name: pluginStrings.events, component: () => <ConfigEvents name={name} /> },
    ],
    [name],
  );
  if (config === undefined) return <EmptyPage title={strings.plan.noSuch(name)} text={strings.plan.noSuchText} />;
  return <HorizontalNav resource={config} pages={pages} />;
}

function ConfigYaml({ name }: { readonly name: string }) {
  const config = useConfigs().find(({ metadata }) => metadata.name === name);
  if (config === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ResourceYAMLEditor initialResource={config} hideHeader />
    </Suspense>
  );
}

function ConfigEvents({ name }: { readonly name: string }) {
  const config = useConfigs().find(({ metadata }) => metadata.name === name);
  return config === undefined ? null : <ResourceEventStream resource={config} />;
}

type TabProps = { readonly obj?: KubeObject };

/** A tab of MachineConfigPools: the nodes, and the plans that change them. */
export function PoolTab({ obj }: TabProps) {
  return <PluginShell>{obj === undefined ? null : <PoolOf name={obj.metadata.name} />}</PluginShell>;
}

function PoolOf({ name }: { readonly name: string }) {
  useWanted("nodes", "pools", "machineConfigNodes", "vms");
  const nodes = useObjects("nodes");
  const pools = useObjects("pools");
  const machineConfigNodes = useObjects("machineConfigNodes");
  const vmObjects = useObjects("vms");
  const vms = useKind("vms").state === "listed" ? vmObjects : undefined;
  const configs = useConfigs();
  const grid = useMemo(() => {
    const unrendered = new Set(configs.flatMap((config) => [...unrenderedPools(config, pools)]));
    return gridOf({ nodes, pools, machineConfigNodes, vms, unrendered });
  }, [configs, nodes, pools, machineConfigNodes, vms]);
  const pool = grid.find((other) => other.name === name);
  const concerned = configs.filter(({ status }) =>
    [
      ...(status?.disruption ?? []).map((row) => row.pool),
      ...(status?.rollout?.pools ?? []).map((row) => row.name),
    ].includes(name),
  );
  const since = new Map(
    concerned.flatMap(({ status }) =>
      (status?.rollout?.nodes ?? []).map((node) => [`${node.name} ${node.phase}`, node.since] as const),
    ),
  );
  const now = useNow();
  const findings = Map.groupBy(
    concerned.flatMap((config) => viewRollout(config, now)?.findings ?? []),
    ({ node = "" }) => node,
  );
  return (
    <>
      {concerned.length === 0 ? <p>{pluginStrings.noPlanForPool(name)}</p> : null}
      {concerned.map(({ metadata, status }) => (
        <p key={metadata.name}>
          <a href={hrefOf({ page: "rollout", name: metadata.name })}>
            {pluginStrings.planForPool(metadata.name, status?.phase ?? "")}
          </a>
        </p>
      ))}
      {pool === undefined ? (
        <p>{pluginStrings.noNodes(name)}</p>
      ) : (
        <PoolGrid pool={pool} since={since} findings={findings} />
      )}
    </>
  );
}

export function HyperConvergedTab() {
  return (
    <PluginShell>
      <OverviewPage />
    </PluginShell>
  );
}
