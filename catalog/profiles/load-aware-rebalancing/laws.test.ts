import type { PlannedItem } from "@virt/advisor";
import type { Json, JsonMap } from "@virt/api";
import { at, canonicalJson, isMap, member, targetKey } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { infraPool, workerPool } from "../../testing/machine-config-pools.ts";
import type { LoadAwareFacts } from "./facts.ts";
import profile from "./profile.ts";
import { deschedulerWith, factsWith, hcoWith } from "./testing/facts.ts";

const names = [
  "AffinityAndTaints",
  "SoftTopologyAndDuplicates",
  "TopologyAndDuplicates",
  "LongLifecycle",
  "DevKubeVirtRelieveAndMigrate",
  "KubeVirtRelieveAndMigrate",
];
const anyNames = fc.array(fc.constantFrom(...names), { maxLength: 8, size: "max" });

const anyField = fc.constantFrom<JsonMap>({}, { type: "boolean" }, { description: "Deprecated." });
const anyFields = (...fields: readonly string[]) =>
  fc.record(Object.fromEntries(fields.map((field) => [field, anyField])), { requiredKeys: [] });

const anyRule = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...names))
  .map(([one, other]) => ({ rule: `!('${one}' in self && '${other}' in self)` }));

const anySchema: fc.Arbitrary<JsonMap> = fc
  .record({
    listed: fc.option(fc.subarray(names), { nil: undefined }),
    rules: fc.array(anyRule, { maxLength: 6, size: "max" }),
    customizations: fc.option(
      anyFields("devEnableEvictionsInBackground", "devEnableSoftTainter", "devDeviationThresholds"),
      { nil: undefined },
    ),
    limits: fc.option(anyFields("total", "node"), { nil: undefined }),
  })
  .map(({ listed, rules, customizations, limits }) => ({
    properties: {
      spec: {
        properties: {
          managementState: {},
          deschedulingIntervalSeconds: {},
          mode: {},
          profiles: { items: listed === undefined ? {} : { enum: listed }, "x-kubernetes-validations": rules },
          ...(customizations === undefined ? {} : { profileCustomizations: { properties: customizations } }),
          ...(limits === undefined ? {} : { evictionLimits: { properties: limits } }),
        },
      },
    },
  }));

const anyOptions: fc.Arbitrary<JsonMap | undefined> = fc.option(
  fc.record(
    {
      mode: fc.constantFrom("Automatic", "Predictive"),
      enablePSIMetrics: fc.boolean(),
      evictionLimitTotal: fc.integer({ min: 1, max: 1000 }),
      evictionLimitNode: fc.integer({ min: 1, max: 100 }),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);

const anyKernel = fc.array(
  fc.option(fc.array(fc.constantFrom("psi=1", "psi=0", "quiet"), { maxLength: 3 }), { nil: undefined }),
  { maxLength: 2 },
);
const anyMigrations = fc.record({
  parallelMigrationsPerCluster: fc.integer({ min: -2, max: 40 }),
  parallelOutboundMigrationsPerNode: fc.integer({ min: -2, max: 40 }),
});

const anyFacts: fc.Arbitrary<LoadAwareFacts> = fc
  .record({
    deschedulerSchema: anySchema,
    descheduler: fc.option(
      anyNames.map((profiles) => deschedulerWith({ profiles })),
      { nil: undefined },
    ),
    workerKernel: anyKernel,
    masterKernel: anyKernel,
    vmNodes: fc
      .constantFrom<LoadAwareFacts["vmNodes"]["roles"]>(["worker"], ["worker"], ["master"], ["worker", "master"])
      .map((roles) => ({ roles, nodes: undefined })),
    pools: fc.constantFrom([], [workerPool()], [workerPool({ paused: true }, 0), infraPool()]),
    hco: fc
      .tuple(fc.constantFrom("v1" as const, "v1beta1" as const), anyMigrations)
      .map(([version, config]) => hcoWith(version, config)),
  })
  .map(factsWith);

type Law = (plan: readonly PlannedItem[], facts: LoadAwareFacts, given: JsonMap | undefined) => boolean;

const always = (isTrue: Law) =>
  fc.property(anyOptions, anyFacts, (given, facts) => isTrue(profile.plan(given, facts), facts, given));

const appliesOf = (plan: readonly PlannedItem[]) => plan.flatMap((item) => (item.operation === "Apply" ? [item] : []));

test("items have distinct targets and names, and removals come last", () => {
  const law = always((plan) => {
    const targets = new Set(plan.map(({ target }) => targetKey(target)));
    const itemNames = new Set(plan.map(({ name }) => name));
    const firstRemoval = plan.findIndex(({ operation }) => operation === "Delete");
    const isLast = firstRemoval === -1 || plan.slice(firstRemoval).every(({ operation }) => operation === "Delete");
    return targets.size === plan.length && itemNames.size === plan.length && isLast;
  });
  fc.assert(law);
});

test("the managed fields are exactly the fields of the desired spec", () => {
  const law = always((plan) =>
    appliesOf(plan).every(({ desired, managedFields }) => {
      const isThere = managedFields.every((field) => at(desired, ...field.split(".")) !== undefined);
      const spec = desired["spec"];
      const covered = isMap(spec) && Object.keys(spec).every((field) => managedFields.includes(`spec.${field}`));
      return isThere && covered;
    }),
  );
  fc.assert(law);
});

test("the descheduler gets only fields that its CRD has and does not deprecate", () => {
  const isKnown = (value: Json | undefined, schema: Json | undefined): boolean => {
    if (schema === undefined) return false;
    if (!isMap(value)) return true;
    return Object.entries(value).every(([key, inner]) => isKnown(inner, at(schema, "properties", key)));
  };
  const law = always((plan, { deschedulerSchema }) =>
    appliesOf(plan)
      .filter(({ target }) => target.kind === "KubeDescheduler")
      .every(({ desired }) => {
        const schema = at(deschedulerSchema, "properties", "spec");
        const tainter = at(schema, "properties", "profileCustomizations", "properties", "devEnableSoftTainter");
        const isAsked = at(desired, "spec", "profileCustomizations", "devEnableSoftTainter") !== undefined;
        return isKnown(desired["spec"], schema) && !(isAsked && member(tainter, "description") !== undefined);
      }),
  );
  fc.assert(law);
});

test("the profiles are offered, unique, and compatible by the CRD's rules", () => {
  const law = always((plan, { deschedulerSchema }) =>
    appliesOf(plan)
      .filter(({ target }) => target.kind === "KubeDescheduler")
      .every(({ desired }) => {
        const profiles = at(desired, "spec", "profiles") as readonly string[];
        const declared = at(deschedulerSchema, "properties", "spec", "properties", "profiles");
        const offered = at(declared, "items", "enum") as readonly string[] | undefined;
        const rules = at(declared, "x-kubernetes-validations") as readonly { rule: string }[];
        const ours = profiles.at(-1);
        const areApart = ({ rule }: { rule: string }) =>
          rule.includes(`'${ours}'`) && profiles.some((other) => other !== ours && rule.includes(`'${other}'`));
        return (
          profiles.every((name) => offered?.includes(name) ?? true) &&
          new Set(profiles).size === profiles.length &&
          !rules.some(areApart)
        );
      }),
  );
  fc.assert(law);
});

test("skips our absent MachineConfig if psi=1 is effective", () => {
  const law = always((plan, { workerKernel }) => {
    const isOn =
      workerKernel.length > 0 &&
      workerKernel.every((each) => each?.findLast((one) => one.startsWith("psi=")) === "psi=1");
    const psi = appliesOf(plan).find(({ name }) => name === "enable-psi-metrics");
    return psi === undefined || (psi.isSkipped ?? false) === isOn;
  });
  fc.assert(law);
});

test("limits that are not set by the user are inputs", () => {
  const law = always((plan, facts, given) => {
    const written = appliesOf(plan).find(({ target }) => target.kind === "KubeDescheduler")?.desired;
    const limits = [
      ["total", "evictionLimitTotal", "parallelMigrationsPerCluster"],
      ["node", "evictionLimitNode", "parallelOutboundMigrationsPerNode"],
    ] as const;
    const inputs = profile.inputs(given, facts);
    return limits.every(([field, option, source]) => {
      const limit = at(written, "spec", "evictionLimits", field);
      const now = inputs.find(({ name }) => name === source)?.now;
      return limit === undefined || given?.[option] !== undefined ? now === undefined : now === canonicalJson(limit);
    });
  });
  fc.assert(law);
});

test("the generators produce interesting plans", () => {
  const plans = fc.sample(fc.tuple(anyOptions, anyFacts), 2000).map(([given, facts]) => profile.plan(given, facts));
  const items = plans.flat();
  const applied = plans.flatMap(appliesOf);
  const listed = ({ desired }: { desired: JsonMap }) =>
    at(desired, "spec", "profiles") as readonly string[] | undefined;
  const counts = {
    removal: items.filter(({ operation }) => operation === "Delete").length,
    skipped: applied.filter(({ isSkipped }) => isSkipped).length,
    limited: applied.filter(({ desired }) => at(desired, "spec", "evictionLimits", "node") !== undefined).length,
    preserved: applied.filter((item) => listed(item)?.length === 3).length,
  };
  expect(Object.entries(counts).filter(([, count]) => count < 20)).toEqual([]);
});
