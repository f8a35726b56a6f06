// Reads and validates a scenario file. Each error names the path of the invalid value.

import { asText, entriesOf, isList, isMap, type Json, type JsonMap, parseJson } from "@virt/objects";
import { type Durations, defaultDurations, faultKinds, type Scenario } from "./scenario.ts";
import { standard } from "./standard-scenarios.ts";

type ReadScenarioResult =
  | { readonly kind: "read"; readonly scenario: Scenario }
  | { readonly kind: "wrong"; readonly problems: readonly string[] };

/** Reads a scenario. Missing parts come from the default scenario; an empty list means none. */
export function readScenario(content: string): ReadScenarioResult {
  const given = parseJson(content);
  if (given === undefined) return { kind: "wrong", problems: ["it is not JSON"] };
  const problems = scenarioShape(given, "");
  if (problems.length > 0) return { kind: "wrong", problems: problems };
  return { kind: "read", scenario: completeScenario(given as JsonMap) };
}

function completeScenario({ durations, hco, descheduler, ...given }: JsonMap): Scenario {
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
    durations: { ...defaultDurations, ...(durations as Partial<Durations>) },
  };
}

/** Returns errors that start with the path. The list is empty if the value is valid. */
type ShapeCheck = (value: Json, path: string) => readonly string[];

const expectValue =
  (isGood: (value: Json) => boolean, wanted: string): ShapeCheck =>
  (value, path) =>
    isGood(value) ? [] : [`${path}: must be ${wanted}, not ${JSON.stringify(value).slice(0, 40)}`];

const text = expectValue((value) => typeof value === "string" && value !== "", "a string");
const textOrNull = expectValue((value) => value === null || typeof value === "string", "a string or null");
const truth = expectValue((value) => typeof value === "boolean", "true or false");
const count = expectValue(
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10_000,
  "a whole number from 1 to 10000",
);
const amount = expectValue((value) => typeof value === "number" && value >= 0, "a number from 0");
// Allows invalid strings, because scenarios may test how the operator reacts to them.
const limit = expectValue(
  (value) => Number.isInteger(value) || typeof value === "string",
  'a whole number, or a share such as "10%"',
);
const anyMap = expectValue(isMap, "a map");
const name = expectValue(
  (value) => typeof value === "string" && /^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$/.test(value),
  "a name of lower-case letters, digits and dashes",
);

function oneOfValues(...allowed: readonly string[]): ShapeCheck {
  return expectValue((value) => typeof value === "string" && allowed.includes(value), `one of ${allowed.join(", ")}`);
}

function listOf(check: ShapeCheck): ShapeCheck {
  return (value, path) =>
    isList(value) ? value.flatMap((part, index) => check(part, `${path}[${index}]`)) : [`${path}: must be a list`];
}

function mapOf(check: ShapeCheck): ShapeCheck {
  return (value, path) =>
    isMap(value)
      ? entriesOf(value).flatMap(([key, part]) => check(part, `${path}.${key}`))
      : [`${path}: must be a map`];
}

/** Checks the fields of a map. Names that end with `?` are optional. An unknown field is an error. */
function shape(members: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  const known = new Map(Object.entries(members).map(([key, check]) => [key.replace(/\?$/, ""), check]));
  const needed = Object.keys(members).filter((key) => !key.endsWith("?"));
  return (value, path) => {
    if (!isMap(value)) return [`${path || "scenario"}: must be a map`];
    const under = (key: string) => (path === "" ? key : `${path}.${key}`);
    const missing = needed.filter((key) => value[key] === undefined).map((key) => `${under(key)}: is missing`);
    const wrong = entriesOf(value).flatMap(([key, part]) => {
      const check = known.get(key);
      return check === undefined
        ? [`${under(key)}: unknown; must be one of ${[...known.keys()].join(", ")}`]
        : check(part, under(key));
    });
    return [...missing, ...wrong];
  };
}

const orNone =
  (check: ShapeCheck): ShapeCheck =>
  (value, path) =>
    value === null ? [] : check(value, path);

const texts = mapOf((value, path) => (typeof value === "string" ? [] : [`${path}: must be a string`]));

const faultNames = [
  "certificate-expired",
  "cordon",
  "degrade",
  "fail-migrations",
  "migratability-unknown",
  "migration-held",
  "never-ends",
  "not-joined",
  "not-ready",
  "operator-down",
  "paused",
  "render-delay",
  "render-error",
  "slow-migrations",
  "slow-reboot",
  "stays",
  "stuck-drain",
  "unmigratable",
  "virt-api-down",
  "virt-controller-down",
];

const scenarioShape = shape({
  "about?": text,
  "topology?": oneOfValues("HighlyAvailable", "SingleReplica"),
  "platform?": oneOfValues("None", "BareMetal", "AWS", "Azure", "GCP", "VSphere", "OpenStack"),
  "mastersSchedulable?": truth,
  "nodes?": listOf(
    shape({
      name,
      count,
      "names?": listOf(name),
      roles: listOf(name),
      "zones?": listOf(name),
      cpus: count,
      memoryGiB: amount,
      "swapGiB?": amount,
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
      "cpus?": count,
      "evictionStrategy?": oneOfValues("None", "LiveMigrate", "LiveMigrateIfPossible", "External"),
      "owner?": oneOfValues("VirtualMachine", "VirtualMachineInstanceReplicaSet", "None"),
      "runStrategy?": oneOfValues("Always", "RerunOnFailure", "Manual", "Halted"),
      "nodeSelector?": texts,
      "gracePeriodSeconds?": amount,
      "unmigratable?": text,
      "nodes?": listOf(name),
      "lastMigrationPerGiB?": listOf(amount),
      "faults?": texts,
    }),
  ),
  "kubevirtVersion?": expectValue(
    (value) => typeof value === "string" && /^[0-9]+[.][0-9]+$/.test(value),
    'a release such as "1.9"',
  ),
  "nodeDisruptionPolicy?": anyMap,
  "hco?": orNone(
    shape({
      namespace: name,
      "memoryOvercommitPercentage?": amount,
      "liveMigrationConfig?": anyMap,
      "annotations?": texts,
    }),
  ),
  "descheduler?": orNone(shape({ namespace: name, "spec?": anyMap, "needsPsi?": truth, "evictEverySeconds?": amount })),
  "autopilot?": truth,
  "objects?": listOf(objectShape),
  "durations?": shape(Object.fromEntries(Object.keys(defaultDurations).map((key) => [`${key}?`, amount]))),
  "faults?": listOf(
    shape({
      afterSeconds: amount,
      kind: oneOfValues(...faultKinds),
      "namespace?": name,
      name: text,
      annotation: oneOfValues(...faultNames),
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
