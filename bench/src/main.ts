// `make bench`: runs scenarios, prints tables and writes results. Exits with 1 if a goal is missed.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import { readFlags } from "./flags.ts";
import { bundlePrograms } from "./programs.ts";
import { type Peers, reportOf } from "./report.ts";
import { isPassed, type Result } from "./results.ts";
import { runScenario } from "./run-scenario.ts";
import { scenarios } from "./scenarios/index.ts";

const flags = readFlags(process.env, scenarios, Math.random);
// A regular exit also stops the child processes and the API server.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

if (flags.kind === "wrong") {
  process.stderr.write(`make bench: ${flags.message}\n`);
  process.exitCode = 2;
} else {
  const { scenarios: chosen, size, seed } = flags;
  process.stdout.write(`${chosen.length} scenarios, ${size}, seed ${seed}\n`);
  await bundlePrograms();
  const peers = JSON.parse(readFileSync(inRepository("bench", "peers.json"), "utf8")) as Peers;
  const results: Result[] = [];
  for (const scenario of chosen) {
    const result = await runScenario(scenario, { size, seed });
    process.stdout.write(reportOf(result, peers));
    process.stdout.write(`  written to ${write(result)}\n\n`);
    results.push(result);
  }
  summarize(results);
}

function write(result: Result): string {
  const file = join("bench", "results", `${result.time.replaceAll(":", "-")}-${result.scenario}.json`);
  mkdirSync(inRepository("bench", "results"), { recursive: true });
  writeFileSync(inRepository(file), `${JSON.stringify(result, null, 1)}\n`);
  return file;
}

function summarize(results: readonly Result[]): void {
  const missed = results.flatMap(({ scenario, ours }) =>
    ours.filter(({ goalResult }) => goalResult?.isMet === false).map(({ name }) => `${scenario}: ${name}`),
  );
  for (const goal of missed) process.stdout.write(`goal missed: ${goal}\n`);
  const failed = results.filter((result) => !isPassed(result)).length;
  process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}
