// Limits an operator's writes to its roles and the objects in the catalog, even with more permissions or a stolen
// token.

import { objectAnnotations } from "@virt/platform";
import { type OperatorNames, platform } from "../operators.ts";
import type { OperatorRights } from "../rbac/operator-rights.ts";
import type { Right } from "../rbac/right.ts";
import type { PinnedObject } from "./pinned-objects.ts";
import { celList, celText, type Policy, type Validation } from "./policy.ts";

export function operatorPolicy(
  { name, account }: OperatorNames,
  granted: OperatorRights,
  further: Pick<Policy, "variables" | "validations">,
): Policy {
  return {
    promise: `The token of ${name} can write only what its catalog names, regardless of RBAC.`,
    name: `${name}-writes`,
    resourceRules: [
      {
        apiGroups: ["*"],
        apiVersions: ["*"],
        resources: ["*/*"],
        operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
      },
    ],
    matchConditions: [isOperator(account)],
    variables: [
      ...requestVariables,
      {
        name: "place",
        expression: "(request.?namespace.orValue('') == '' ? '' : request.namespace + '/') + variables.name",
      },
      { name: "allowed", expression: celList(allowedWrites(granted)) },
      ...further.variables,
    ],
    validations: [
      {
        expression:
          "[variables.place, '*', '*/' + variables.name, '*/*'].exists(place, variables.write + ' ' + place in variables.allowed)",
        messageExpression: `${celText(`${name} may not `)} + variables.write + ' ' + variables.place + ': its catalog does not contain it'`,
      },
      ...further.validations,
    ],
  };
}

/** For writes of all other clients, the API server evaluates only this condition. */
const isOperator = (account: string) => ({
  name: "is-the-operator",
  expression: `request.userInfo.username == ${celText(account)}`,
});

/**
 * Restricts the content of some of the operator's objects, because one policy for all would not fit into the annotation
 * of `kubectl apply`. `part` is the end of its name.
 */
export function contentPolicy(
  { name, account }: OperatorNames,
  { part, objects }: { readonly part: string; readonly objects: readonly PinnedObject[] },
  further: Pick<Policy, "variables" | "validations">,
): Policy {
  const resources = Map.groupBy(new Set(objects.map(({ resource }) => resource)), groupOf);
  return {
    promise: `The token of ${name} can write only the content that its catalog declares.`,
    name: `${name}-writes-${part}`,
    resourceRules: [...resources].map(([group, names]) => ({
      apiGroups: [group],
      apiVersions: ["*"],
      resources: names.map((resource) => resource.split(".", 1)[0] ?? ""),
      operations: ["CREATE", "UPDATE"],
    })),
    matchConditions: [isOperator(account)],
    variables: [...requestVariables, ...further.variables],
    validations: further.validations,
  };
}

const groupOf = (resource: string): string => resource.split(".").slice(1).join(".");

const write = [
  "request.operation + ' ' + request.resource.resource",
  "(request.resource.group == '' ? '' : '.' + request.resource.group)",
  "(request.?subResource.orValue('') == '' ? '' : '/' + request.subResource)",
].join(" +\n");

const requestVariables = [
  { name: "name", expression: "request.?name.orValue('')" },
  { name: "write", expression: write },
];

const operations = { create: "CREATE", update: "UPDATE", patch: "UPDATE", delete: "DELETE" } as const;

/** Returns writes such as `UPDATE virtplatformconfigs.advisor.kubevirt.io/status load-aware-rebalancing`, sorted. */
function allowedWrites({ cluster, ownNamespace }: OperatorRights): readonly string[] {
  const writes = [...cluster, ...ownNamespace].filter(isStored).flatMap(writesOf);
  return [...new Set(writes)].toSorted();
}

function writesOf({ verb, group, resource, name = "*", namespace }: Right): readonly string[] {
  if (verb === "get" || verb === "list" || verb === "watch") return [];
  const [plural, ...sub] = resource.split("/");
  const kind = [group === "" ? plural : `${plural}.${group}`, ...sub].join("/");
  return [`${operations[verb]} ${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`];
}

/** Admission policies never see reviews, which are not stored. */
function isStored({ group }: Right): boolean {
  return group !== "authentication.k8s.io" && group !== "authorization.k8s.io";
}

/** An operator that could create a config with another action could approve its own plans. */
export const onlyAdvertises: Validation = {
  expression:
    "variables.write != 'CREATE virtplatformconfigs.advisor.kubevirt.io' ||\nobject.spec.action == 'Ignore' && !has(object.spec.approvedPlan)",
  messageExpression:
    "'virt-advisor-operator may only create configs with action Ignore, but ' + variables.name + ' has action ' + object.spec.action",
};

/** The advisor only corrects the documentation link of a config. An operator that edits a spec could approve its own plans. */
export const keepsSpecs: Validation = {
  expression: "variables.write != 'UPDATE virtplatformconfigs.advisor.kubevirt.io' || object.spec == oldObject.spec",
  messageExpression: "'virt-advisor-operator may not change the spec of VirtPlatformConfig ' + variables.name",
};

/** Restricts the reporting controller of events, so that a stolen token cannot forge events of another component. */
export function ownEvents(name: string): Validation {
  const writes = ["CREATE", "UPDATE"].map((operation) => celText(`${operation} events.events.k8s.io`)).join(", ");
  return {
    expression: `!(variables.write in [${writes}]) || object.?reportingController.orValue('') == ${celText(name)}`,
    messageExpression: `${celText(`${name} may only write its own events, not `)} + variables.name`,
  };
}

/** Annotations that users set on the operator's objects. The operator only reads them. */
const peoples = [
  objectAnnotations.patch,
  objectAnnotations.ignoreFields,
  objectAnnotations.mode,
  objectAnnotations.adopt,
];

const annotationsOf = (object: string) => `${object} == null ? {} : ${object}.?metadata.?annotations.orValue({})`;

/** An operator that could set overrides could write any content that they then allow. */
export const overridesNothing: Pick<Policy, "variables" | "validations"> = {
  variables: [
    { name: "annotationsBefore", expression: annotationsOf("oldObject") },
    { name: "annotationsAfter", expression: annotationsOf("object") },
  ],
  validations: [
    {
      expression: [
        `request.operation == 'DELETE' || ${celList(peoples)}.all(key,`,
        "variables.annotationsBefore[?key] == variables.annotationsAfter[?key])",
      ].join("\n"),
      messageExpression: `${celText(`${platform.name} may not set or remove override annotations on `)} + variables.name`,
    },
  ],
};

/** True if a user who may patch the object set the patch annotation before this request. */
export const isPatchedByPerson = `oldObject != null && ${celText(objectAnnotations.patch)} in variables.annotationsBefore`;
