// The OLM bundle follows the published bundle rules. Each rule also fails on a broken copy.

import { describe, expect, test } from "vitest";
import { type Rule, readBundle } from "./olm/bundle.ts";
import { bundleRules, goodPractices, objectRules } from "./olm/bundle-rules.ts";
import { csvRules } from "./olm/csv-rules.ts";
import { formatRules, newOlmRules, platformRules, scorecardRules, upgradeRules } from "./olm/format-rules.ts";

const bundle = readBundle();

const validators: readonly { readonly validator: string; readonly rules: readonly Rule[] }[] = [
  { validator: "the ClusterServiceVersion and OperatorHub validators", rules: csvRules },
  { validator: "the bundle validator", rules: bundleRules },
  { validator: "the object validator", rules: objectRules },
  { validator: "the good practices validator", rules: goodPractices },
  { validator: "the format registry+v1", rules: formatRules },
  { validator: "the scorecard", rules: scorecardRules },
  { validator: "the upgrade graph", rules: upgradeRules },
  { validator: "the multiarch validator", rules: platformRules },
  { validator: "OLM 1", rules: newOlmRules },
];

describe.each(validators)("$validator", ({ rules }) => {
  test.each(rules)("$rule", ({ findFaults, breakRule }) => {
    expect(findFaults(bundle)).toEqual([]);
    expect(findFaults(breakRule(bundle))).not.toEqual([]);
  });
});
