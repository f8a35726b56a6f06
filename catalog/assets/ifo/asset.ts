// Applies the OperationRuleSets of the table, so that the cluster reports operations in progress.

import { contentForms, type JsonMap, type KubeObject } from "@virt/api";
import { type Asset, defineAsset, nothing, served, topology, topologyIs, type ValueReason } from "@virt/platform";
import type { RuleSet } from "./rule-set.ts";
import { operationRules } from "./rules.ts";

const { constant, fields, oneOf, required } = contentForms;

const valuesOf = ({ correlation }: RuleSet): Readonly<Record<string, ValueReason>> => ({
  component: { reason: "The product whose objects the rules watch.", source: "the product of the target" },
  ...(correlation && {
    labels: {
      reason: "Groups the operations that belong to one change, such as the parts of an upgrade.",
      source: "In-Flight Operations operator",
    },
  }),
  target: { reason: "The kind whose objects the rules watch.", source: "API of the target" },
  "spec.rules": {
    reason: "One expression for each operation that the status of an object shows.",
    source: "API of the target",
    shown: "the rules in `catalog/assets/ifo/rules.ts`",
  },
});

/** One asset for each rule set. They share the switch and the feature. */
export const operationRuleSets: readonly Asset[] = operationRules.map((ruleSet) => {
  const { version, resource, group } = ruleSet.target;
  const crd = `${resource}.${group}`;
  const [parts, rendered] = [partsOf(ruleSet), renderedOf(ruleSet)];
  if (ruleSet.isAggregated)
    return defineAsset({
      ...parts,
      conditions: [topologyIs("isOpenShift")],
      reads: { topology: topology() },
      render: () => rendered,
    });
  return defineAsset({
    ...parts,
    reads: { isServed: served(crd, version) },
    render: ({ isServed }) =>
      isServed ? rendered : nothing(`the cluster does not serve ${crd} in version ${version}`),
  });
});

function partsOf(ruleSet: RuleSet) {
  const { apiVersion, kind, metadata } = renderedOf(ruleSet);
  return {
    name: `ifo-${metadata.name}`,
    group: "inflightoperations",
    folder: "ifo",
    feature: {
      name: "in-flight-operations",
      description: "A list of the operations in progress, such as backups, clones and migrations",
      maturity: "TP",
    },
    tier: "advanced",
    phase: 2,
    order: 40,
    target: {
      apiVersion,
      kind,
      name: metadata.name,
      crd: "operationrulesets.ifo.kubevirt.io",
      operator: "In-Flight Operations Operator",
    },
    needs: [],
    dependency: "optional",
    switch: { annotation: "enable-in-flight-operations", default: "off" },
    forms: [{ apiVersion, spec: fields(formOf(specOf(ruleSet))) }],
    adoption: "whole",
    impact: "none",
    values: valuesOf(ruleSet),
  } as const;
}

function renderedOf(ruleSet: RuleSet): KubeObject {
  return {
    apiVersion: "ifo.kubevirt.io/v1alpha1",
    kind: "OperationRuleSet",
    metadata: { name: `${ruleSet.name}-rules` },
    spec: specOf(ruleSet),
  };
}

function specOf({ component, target, correlation, operations }: RuleSet): JsonMap {
  const labels = correlation && {
    "ifo.kubevirt.io/correlation-group": correlation.group,
    "ifo.kubevirt.io/correlation-role": correlation.role,
  };
  const rules = Object.entries(operations).map(([operation, expression]) => ({ operation, expression }));
  return { component, ...(labels && { labels }), target, rules };
}

/** Other clients may add labels. The list of rules is atomic. */
function formOf({ rules = null, ...rest }: JsonMap) {
  const members = Object.entries(rest).map(([key, value]) => [key, required(constant(value ?? null))] as const);
  return { ...Object.fromEntries(members), rules: required(oneOf(rules)) };
}
