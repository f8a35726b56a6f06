import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts, startKeptProcesses } from "@virt/testkit";
import { expect, vi } from "vitest";
import { obtainProgram } from "../../tools/test-tools/obtain.ts";
import { prometheus } from "../../tools/test-tools/pins.ts";
import type { RuleGroups } from "./scaled-rules.ts";

type Labels = Readonly<Record<string, string>>;

export type PrometheusTarget = {
  readonly scrapePool: string;
  readonly health: string;
  readonly lastError: string;
  readonly labels: Labels;
};

export type PrometheusServer = {
  readonly expectTarget: (job: string, wanted: Partial<PrometheusTarget>) => Promise<void>;
  readonly isFiring: (alert: string) => Promise<boolean>;
  readonly expectFiring: (alert: string, labels?: Labels) => Promise<void>;
  readonly expectResolved: (alert: string) => Promise<void>;
  /** Returns every value since the start at 1-second steps, like a panel. */
  readonly queryHistory: (expr: string) => Promise<readonly number[]>;
  readonly stop: () => Promise<void>;
};

type Answer = { readonly status: string; readonly error?: string; readonly data: unknown };
type Alerts = { readonly alerts: readonly { readonly state: string; readonly labels: Labels }[] };
type Targets = { readonly activeTargets: readonly PrometheusTarget[] };
type Matrix = { readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[] };

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 100 });

type PrometheusOptions = {
  /** The data folder. The caller removes it. */
  readonly folder: string;
  readonly scrapeConfigs: readonly { readonly job_name: string }[];
  readonly rules: RuleGroups;
};

/** Writes files as JSON, which is valid YAML. */
export async function startPrometheus({ folder, scrapeConfigs, rules }: PrometheusOptions): Promise<PrometheusServer> {
  const [port = 0] = await freePorts(1);
  writeFileSync(join(folder, "rules.json"), JSON.stringify(rules));
  const config = { rule_files: ["rules.json"], scrape_configs: scrapeConfigs };
  writeFileSync(join(folder, "prometheus.json"), JSON.stringify(config));
  const args = [
    `--config.file=${join(folder, "prometheus.json")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const since = Date.now() / 1_000;
  const kept = await startKeptProcesses([{ name: "prometheus", command: obtainProgram(prometheus), args }], false);
  const ask = async (path: string, parameters: Labels = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
    const { status, error, data } = (await answer.json()) as Answer;
    if (status !== "success") throw new Error(`Prometheus, ${path}: ${error}`);
    return data;
  };
  const firing = async (alert: string) => {
    const { alerts } = (await ask("alerts")) as Alerts;
    return alerts.filter(({ state, labels }) => state === "firing" && labels["alertname"] === alert);
  };
  await Promise.race([
    until(async () => void (await ask("status/buildinfo"))),
    kept.failure.then((why) => Promise.reject(new Error(`Prometheus does not start: ${why}`))),
  ]);
  return {
    expectTarget: (job, wanted) =>
      until(async () => {
        const { activeTargets } = (await ask("targets", { state: "active" })) as Targets;
        expect(activeTargets.filter(({ scrapePool }) => scrapePool === job)).toEqual([expect.objectContaining(wanted)]);
      }),
    isFiring: async (alert) => (await firing(alert)).length > 0,
    expectFiring: (alert, labels = {}) =>
      until(async () =>
        expect(await firing(alert), `${alert} fires`).toContainEqual(
          expect.objectContaining({ labels: expect.objectContaining(labels) }),
        ),
      ),
    expectResolved: (alert) => until(async () => expect(await firing(alert), `${alert} is resolved`).toEqual([])),
    queryHistory: async (query) => {
      const range = { start: `${since}`, end: `${Date.now() / 1_000}`, step: "1" };
      const { result } = (await ask("query_range", { query, ...range })) as Matrix;
      return result.flatMap(({ values }) => values.map(([, value]) => Number(value)));
    },
    stop: kept.end,
  };
}
