// Writes panels as a PersesDashboard, which the OpenShift console shows under Observe, Dashboards (Perses).

import { contentForms, type Json, type JsonMap, type KubeObject, type ObjectForm, type ValueForm } from "@virt/api";
import { isMap } from "@virt/objects";
import { type AssetHcoFact, type Nothing, served, unmet } from "@virt/platform";
import { type Panel, placePanels } from "./panel.ts";

const group = "perses.dev";
const version = "v1alpha2";
const crd = `persesdashboards.${group}`;

/** Returns the target of an asset that writes a dashboard next to the HyperConverged. */
export function persesTarget(name: string) {
  return {
    apiVersion: `${group}/${version}`,
    kind: "PersesDashboard",
    name,
    namespace: "$hco",
    crd,
    operator: "Cluster Observability Operator",
  } as const;
}

/** Earlier releases serve only v1alpha1, which has other fields. */
export const servesDashboards = served(crd, version);

/** The content of a dashboard. Titles and queries are part of it. */
export type DashboardContent = { readonly title: string; readonly duration: string; readonly panels: readonly Panel[] };

type DashboardFacts = { readonly hco: AssetHcoFact; readonly isServed: boolean };

export function renderDashboard(name: string, content: DashboardContent, facts: DashboardFacts): KubeObject | Nothing {
  if (!facts.isServed) return unmet(`${crd} in version ${version}`, "earlier versions only");
  const { apiVersion, kind } = persesTarget(name);
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: facts.hco.namespace },
    spec: { config: configOf(content) },
  };
}

const { fields, oneOf, required } = contentForms;

export function dashboardForms(content: DashboardContent): readonly ObjectForm[] {
  return [{ apiVersion: `${group}/${version}`, spec: fields({ config: required(formOf(configOf(content))) }) }];
}

/** Other clients may add members to every map, such as links to a panel. The lists of a dashboard are atomic. */
function formOf(value: Json): ValueForm {
  if (!isMap(value)) return oneOf(value);
  const members = Object.entries(value).map(([key, inner]) => [key, required(formOf(inner ?? null))] as const);
  return fields(Object.fromEntries(members));
}

/** The HyperConverged operator creates this data source in its namespace. */
const datasource = { kind: "PrometheusDatasource", name: "perses-thanos-datasource" };

function configOf({ title, duration, panels }: DashboardContent): JsonMap {
  const placed = placePanels(panels).map((one, at) => ({ ...one, key: `panel${at + 1}` }));
  return {
    display: { name: title },
    duration,
    refreshInterval: "30s",
    panels: Object.fromEntries(placed.map(({ key, panel }) => [key, panelOf(panel)])),
    layouts: [
      {
        kind: "Grid",
        spec: {
          items: placed.map(({ key, x, y, width, height }) => ({
            x,
            y,
            width,
            height,
            content: { $ref: `#/spec/panels/${key}` },
          })),
        },
      },
    ],
  };
}

function panelOf({ title, description, shown, unit, queries }: Panel): JsonMap {
  const format = { unit: units[unit] };
  return {
    kind: "Panel",
    spec: {
      display: { name: title, description },
      plugin:
        shown === "number"
          ? { kind: "StatChart", spec: { calculation: "last-number", format } }
          : {
              kind: "TimeSeriesChart",
              spec: { legend: { mode: "list", position: "bottom" }, yAxis: { format, min: 0 } },
            },
      queries: queries.map(({ expr, legend }) => ({
        kind: "TimeSeriesQuery",
        spec: {
          plugin: { kind: "PrometheusTimeSeriesQuery", spec: { datasource, query: expr, seriesNameFormat: legend } },
        },
      })),
    },
  };
}

const units = {
  short: "decimal",
  s: "seconds",
  reqps: "requests/sec",
  bytes: "bytes",
  percentunit: "percent-decimal",
} as const satisfies Readonly<Record<Panel["unit"], string>>;
