// Collects the admission policies of each operator, as manifests and as the hashes that the operators verify.

import type { Profile } from "@virt/advisor";
import { profileManager } from "@virt/api";
import { hashPolicySpec } from "@virt/cluster";
import { advisor, type OperatorNames, platform } from "../operators.ts";
import { advisorRights } from "../rbac/advisor-rights.ts";
import { ownPolicies } from "../rbac/operator-rights.ts";
import { platformRights, type Shipped } from "../rbac/platform-rights.ts";
import type { Right } from "../rbac/right.ts";
import { type ContentRules, contentRules, deletesOwnObjects, platformMarks, unownedRules } from "./content-rules.ts";
import {
  contentPolicy,
  isPatchedByPerson,
  keepsSpecs,
  onlyAdvertises,
  operatorPolicy,
  overridesNothing,
  ownEvents,
} from "./operator-policy.ts";
import { overridePolicy } from "./override-policy.ts";
import {
  type PinnedObject,
  pinnedAdvertisements,
  pinnedByAssets,
  pinnedByProfiles,
  pinnedRecords,
} from "./pinned-objects.ts";
import { approvalPolicy, statusPolicy } from "./plan-policies.ts";
import { type Policy, policyManifest, policySpecs } from "./policy.ts";
import { switchPolicy } from "./switch-policy.ts";
import { switchReach } from "./switch-reach.ts";

type Catalog = Shipped & { readonly profiles: readonly Profile[] };

type OperatorPolicies = { readonly operator: OperatorNames; readonly policies: readonly Policy[] };

function shippedPolicies({
  profiles,
  ...shipped
}: Catalog): Readonly<Record<"advisor" | "platform", OperatorPolicies>> {
  return {
    advisor: {
      operator: advisor,
      policies: [
        approvalPolicy(),
        statusPolicy(),
        operatorPolicy(advisor, advisorRights(profiles), ofAdvisor(profiles)),
      ],
    },
    platform: {
      operator: platform,
      policies: [
        overridePolicy(shipped.assets),
        switchPolicy(switchReach(shipped.assets)),
        ...platformPolicies(shipped),
      ],
    },
  };
}

function ofAdvisor(profiles: readonly Profile[]): ContentRules {
  const { variables, validations } = contentRules({
    operator: advisor.name,
    managers: [...new Set([advisor.name, ...profiles.map((profile) => profileManager(profile.name))])],
    objects: [...pinnedByProfiles(profiles), ...pinnedAdvertisements(profiles)],
    marks: { labels: {}, annotations: {} },
    isPatched: "false",
  });
  return {
    variables,
    validations: [onlyAdvertises, keepsSpecs, ownEvents(advisor.name), ...unownedRules(advisor.name), ...validations],
  };
}

/** The API groups whose content has a policy of its own, by the end of its name. All others share a policy. */
const contentParts: Readonly<Record<string, readonly string[]>> = {
  hyperconverged: ["hco.kubevirt.io"],
  nodes: ["machineconfiguration.openshift.io"],
  monitoring: ["monitoring.coreos.com"],
  dashboards: ["perses.dev"],
  operations: ["ifo.kubevirt.io"],
};

function partOf({ forms }: PinnedObject): string | undefined {
  const group = forms[0]?.apiVersion.split("/")[0] ?? "";
  return Object.entries(contentParts).find(([, groups]) => groups.includes(group))?.[0];
}

function platformPolicies({ assets, tombstones }: Shipped): readonly Policy[] {
  const objects = Map.groupBy([...pinnedByAssets(assets), ...pinnedRecords], partOf);
  const rulesFor = (part: string | undefined): ContentRules => {
    const content = contentRules({
      operator: platform.name,
      managers: [platform.name],
      objects: objects.get(part) ?? [],
      marks: platformMarks,
      isPatched: isPatchedByPerson,
    });
    return { ...content, variables: [...overridesNothing.variables, ...content.variables] };
  };
  const common = rulesFor(undefined);
  return [
    operatorPolicy(platform, platformRights({ assets, tombstones }), {
      variables: common.variables,
      validations: [
        ...overridesNothing.validations,
        deletesOwnObjects,
        ownEvents(platform.name),
        ...unownedRules(platform.name),
        ...common.validations,
      ],
    }),
    ...Object.keys(contentParts).map((part) =>
      contentPolicy(platform, { part, objects: objects.get(part) ?? [] }, rulesFor(part)),
    ),
  ];
}

export function policyManifests(catalog: Catalog): Readonly<Record<string, string>> {
  const files = Object.entries(shippedPolicies(catalog)).flatMap(([folder, { operator, policies }]) =>
    policies.map((policy) => {
      const file = `config/admission/${folder}/${policy.name.slice(operator.name.length + 1)}.yaml`;
      return [file, policyManifest(policy)] as const;
    }),
  );
  return Object.fromEntries(files);
}

export function policyRights(catalog: Catalog, controller: "advisor" | "platform"): readonly Right[] {
  return ownPolicies(shippedPolicies(catalog)[controller].policies);
}

export function expectedPolicies(catalog: Catalog): string {
  const operators = Object.entries(shippedPolicies(catalog)).map(([controller, { operator, policies }]) => {
    const lines = policies.map((policy) => {
      const specs = policySpecs(policy);
      const hash = hashPolicySpec(specs.policy, operator.namespace);
      const bindingHash = hashPolicySpec(specs.binding, operator.namespace);
      return `    {\n      name: "${policy.name}",\n      hash: "${hash}",\n      bindingHash: "${bindingHash}",\n    },\n`;
    });
    return `  ${controller}: [\n${lines.join("")}  ],\n`;
  });
  return `\
// Generated from the catalog (make generate). Change the catalog instead.
// The admission policies that each controller ships with; their bindings have the same names.

/** An admission policy with the hashes of the specs that ship with the controller. */
export type ExpectedPolicy = {
  readonly name: string;
  /** \`hashPolicySpec\` of the spec of the policy, and of its binding. */
  readonly hash: string;
  readonly bindingHash: string;
};

/** Keyed by the controller that checks them. A policy that is absent or differs is reported, never written. */
export const expectedPolicies: Readonly<Record<"advisor" | "platform", readonly ExpectedPolicy[]>> = {
${operators.join("")}};
`;
}
