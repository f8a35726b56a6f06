// Lets an operator write what its roles are made of, in the places that the catalog names, and nothing else: even if somebody
// gives its account wider rights, or steals its token.

import { objectAnnotations } from "@virt/platform";
import { type OperatorNames, platform } from "../operators.ts";
import type { OperatorRights } from "../rbac/operator-rights.ts";
import type { Right } from "../rbac/right.ts";
import { celList, celText, type Policy, type Validation } from "./policy.ts";

export function operatorPolicy(
  { name, account }: OperatorNames,
  granted: OperatorRights,
  further: Pick<Policy, "variables" | "validations">,
): Policy {
  return {
    promise: `Whoever holds the token of ${name} can write what its catalog names, whatever its roles say.`,
    name: `${name}-writes`,
    resourceRules: [
      {
        apiGroups: ["*"],
        apiVersions: ["*"],
        resources: ["*/*"],
        operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
      },
    ],
    // Of everybody else's writes this is all that is evaluated.
    matchConditions: [{ name: "is-the-operator", expression: `request.userInfo.username == ${celText(account)}` }],
    variables: [
      { name: "name", expression: "request.?name.orValue('')" },
      { name: "write", expression: write },
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

const write = [
  "request.operation + ' ' + request.resource.resource",
  "(request.resource.group == '' ? '' : '.' + request.resource.group)",
  "(request.?subResource.orValue('') == '' ? '' : '/' + request.subResource)",
].join(" +\n");

const operations = { create: "CREATE", update: "UPDATE", patch: "UPDATE", delete: "DELETE" } as const;

/** Such as `UPDATE virtplatformconfigs.advisor.kubevirt.io/status load-aware-rebalancing`, in order. */
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

/** Reviews are questions: admission policies never see them. */
function isStored({ group }: Right): boolean {
  return group !== "authentication.k8s.io" && group !== "authorization.k8s.io";
}

/** An operator that could make a config with another action would approve its own plans. */
export const onlyAdvertises: Validation = {
  expression:
    "variables.write != 'CREATE virtplatformconfigs.advisor.kubevirt.io' ||\nobject.spec.action == 'Ignore' && !has(object.spec.approvedPlan)",
  messageExpression:
    "'virt-advisor-operator may create configs with action Ignore only, not ' + variables.name + ' with ' + object.spec.action",
};

/** Events name their author: an operator's token cannot make them look like those of another component. */
export function ownEvents(name: string): Validation {
  const writes = ["CREATE", "UPDATE"].map((operation) => celText(`${operation} events.events.k8s.io`)).join(", ");
  return {
    expression: `!(variables.write in [${writes}]) || object.?reportingController.orValue('') == ${celText(name)}`,
    messageExpression: `${celText(`${name} may write its own events only, not `)} + variables.name`,
  };
}

/** What people set for the operator by annotations on its objects it reads and never writes. */
const peoples = [
  objectAnnotations.patch,
  objectAnnotations.ignoreFields,
  objectAnnotations.mode,
  objectAnnotations.adopt,
];

const annotationsOf = (object: string) => `${object} == null ? {} : ${object}.?metadata.?annotations.orValue({})`;

/** Who could write an override and then what it asks for would be held to nothing. */
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

/** A person who may patch the object has asked for other content, by an annotation that was there before this request. */
export const isPatchedByPerson = `oldObject != null && ${celText(objectAnnotations.patch)} in variables.annotationsBefore`;
