// OLM accepts the bundle, and its installation does no harm. Each rule also fails on a broken copy.

import { describe, expect, test } from "vitest";
import { readBundle } from "./olm/bundle.ts";
import { deploymentRules, objectRules, rightsRules } from "./olm/install-rules.ts";
import { releaseRules } from "./olm/release-rules.ts";

const bundle = readBundle();

describe.each([
  { area: "the release", rules: releaseRules },
  { area: "the objects", rules: objectRules },
  { area: "the Deployments", rules: deploymentRules },
  { area: "the rights", rules: rightsRules },
])("rules about $area", ({ rules }) => {
  test.each(rules)("$rule", ({ findFaults, breakRule }) => {
    expect(findFaults(bundle)).toEqual([]);
    expect(findFaults(breakRule(bundle))).not.toEqual([]);
  });
});
