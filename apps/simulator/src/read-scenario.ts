// Reads a scenario from a file. What is wrong in it is named by its path.

import { asText, type Json, type JsonMap, parseJson } from "@virt/engine";
import {
  amount,
  anyMap,
  type Check,
  count,
  limit,
  listOf,
  mapOf,
  name,
  oneOf,
  shape,
  text,
  textOrNull,
  truth,
} from "./check-shape.ts";
import { type Durations, type Scenario, usualDurations } from "./scenario.ts";
import { standard } from "./scenarios/default.ts";

export type Read =
  | { readonly kind: "read"; readonly scenario: Scenario }
  | { readonly kind: "wrong"; readonly complaints: readonly string[] };

/** Parts that are left out are as in the default scenario; of lists, an empty one means none. */
export function readScenario(content: string): Read {
  const given = parseJson(content);
  if (given === undefined) return { kind: "wrong", complaints: ["it is not JSON"] };
  const complaints = scenarioShape(given, "");
  if (complaints.length > 0) return { kind: "wrong", complaints };
  return { kind: "read", scenario: completed(given as JsonMap) };
}

// Checked just now, member by member.
function completed({ durations, hco, descheduler, ...given }: JsonMap): Scenario {
  const known = { ...standard, about: asText(given["about"]) ?? "from a file", ...given } as unknown as Scenario;
  const { hco: usualHco, descheduler: usualDescheduler, ...rest } = known;
  const operators = {
    hco: hco === undefined ? usualHco : hco,
    descheduler: descheduler === undefined ? usualDescheduler : descheduler,
  };
  const present = Object.fromEntries(
    Object.entries(operators).filter(([, plan]) => plan !== null && plan !== undefined),
  );
  return {
    ...rest,
    ...(present as Pick<Scenario, "hco" | "descheduler">),
    durations: { ...usualDurations, ...(durations as Partial<Durations>) },
  };
}

const orNone =
  (check: Check): Check =>
  (value, path) =>
    value === null ? [] : check(value, path);

const texts = mapOf((value, path) => (typeof value === "string" ? [] : [`${path}: must be text`]));

const scenarioShape = shape({
  "about?": text,
  "topology?": oneOf("HighlyAvailable", "SingleReplica"),
  "platform?": oneOf("None", "BareMetal", "AWS", "Azure", "GCP", "VSphere", "OpenStack"),
  "mastersSchedulable?": truth,
  "nodes?": listOf(
    shape({
      name,
      count,
      roles: listOf(name),
      "zones?": listOf(name),
      cpus: count,
      memoryGiB: amount,
      "labels?": texts,
      "annotations?": texts,
    }),
  ),
  "pools?": listOf(shape({ name, "paused?": truth, "maxUnavailable?": limit, "annotations?": texts })),
  "vms?": listOf(
    shape({
      name,
      namespace: name,
      count,
      memoryGiB: listOf(amount),
      "evictionStrategy?": oneOf("None", "LiveMigrate", "LiveMigrateIfPossible", "External"),
      "unmigratable?": text,
      "node?": name,
    }),
  ),
  "hco?": orNone(
    shape({
      namespace: name,
      "memoryOvercommitPercentage?": amount,
      "liveMigrationConfig?": anyMap,
      "annotations?": texts,
    }),
  ),
  "descheduler?": orNone(shape({ namespace: name, "spec?": anyMap, "evictEverySeconds?": amount })),
  "objects?": listOf(objectShape),
  "durations?": shape(Object.fromEntries(Object.keys(usualDurations).map((key) => [`${key}?`, amount]))),
  "faults?": listOf(
    shape({
      afterSeconds: amount,
      kind: oneOf("Node", "MachineConfigPool", "VirtualMachineInstance"),
      "namespace?": name,
      name: text,
      annotation: oneOf(
        "degrade",
        "stuck-drain",
        "not-ready",
        "render-delay",
        "render-error",
        "unmigratable",
        "fail-migrations",
      ),
      value: textOrNull,
    }),
  ),
});

function objectShape(value: Json, path: string): readonly string[] {
  const { apiVersion, kind, metadata } = (value ?? {}) as JsonMap;
  return [
    ...text(apiVersion ?? null, `${path}.apiVersion`),
    ...text(kind ?? null, `${path}.kind`),
    ...text((metadata as JsonMap | undefined)?.["name"] ?? null, `${path}.metadata.name`),
  ];
}
