// Requires clients that change a switch on the HyperConverged to have the permissions for the operator's resulting
// writes.

import { activationAnnotation } from "@virt/api";
import { annotationPrefix, noBlockers, rebootGateKey } from "@virt/platform";
import { platform } from "../operators.ts";
import { celList, celText, type Policy, type Validation } from "./policy.ts";
import type { Reach } from "./switch-reach.ts";

/** Switches that concern every asset. */
const general = [activationAnnotation, `${annotationPrefix}prune`, `${annotationPrefix}disabled-resources`];

// These controllers delete on behalf of another user. That user's permissions were checked when the owner was set.
const cleaners = ["namespace-controller", "generic-garbage-collector"].map(
  (name) => `system:serviceaccount:kube-system:${name}`,
);

export function switchPolicy(reach: readonly Reach[]): Policy {
  const particular = distinct(reach.flatMap(({ annotations }) => annotations));
  const gates = distinct(reach.flatMap((one) => one.gates));
  return {
    promise:
      "Changing a switch on the HyperConverged requires permission to patch the objects that the operator would then write. Creating or\n# deleting a HyperConverged changes all switches that it has.",
    name: `${platform.name}-switches`,
    resourceRules: [
      {
        apiGroups: ["hco.kubevirt.io"],
        apiVersions: ["*"],
        resources: ["hyperconvergeds"],
        operations: ["CREATE", "UPDATE", "DELETE"],
      },
    ],
    matchConditions: [
      {
        name: "is-not-cleaned-up",
        expression: `request.operation != 'DELETE' || !(request.userInfo.username in ${celList(cleaners)})`,
      },
    ],
    variables: [
      { name: "before", expression: annotationsOf("oldObject") },
      { name: "after", expression: annotationsOf("object") },
      { name: "isRemoved", expression: isRemoved },
      { name: "gatesBefore", expression: gatesOf("oldObject", gates) },
      { name: "gatesAfter", expression: gatesOf("object", gates) },
      { name: "particular", expression: celList([...particular, ...gates.map(gateText), rebootGate]) },
      { name: "known", expression: celList([...particular, ...general]) },
      {
        name: "changed",
        expression: [changedKnown, changedUnknown, weakenedRebootGate, ...gates.map(changedGate)].join(" +\n"),
      },
      ...reach.map((one) => ({ name: variableFor(one, reach), expression: concerning(one) })),
    ],
    // One validation per permission, because each authorizer check uses a third of the cost limit of an expression.
    validations: reach.map((one) => validationFor(one, variableFor(one, reach))),
  };
}

const distinct = (texts: readonly string[]) => [...new Set(texts)].toSorted();

const annotationsOf = (object: string) => `${object} == null ? {} : ${object}.metadata.?annotations.orValue({})`;

const ownersOf = (object: string) => `${object}.metadata.?ownerReferences.orValue([])`;

// Setting an owner counts as removal, because the garbage collector deletes the object together with its owner.
const isRemoved = [
  "request.operation == 'DELETE' ||",
  `(request.operation == 'UPDATE' && ${ownersOf("oldObject")} != ${ownersOf("object")})`,
].join("\n");

// Looks up only the known keys, regardless of the number of annotations.
const changedKnown = [
  "variables.known.filter(key, (key in variables.before) != (key in variables.after) ||",
  "  (key in variables.before && (variables.isRemoved || variables.before[key] != variables.after[key])))",
].join("\n");

// Unknown switches are also checked, because a later release may implement them. Finding them requires a scan of all
// keys. With more than `most` annotations, a change requires all permissions.
const most = 256;
const crowded = `more than ${most} annotations`;
const isUnknown = `key.startsWith(${celText(`${annotationPrefix}enable-`)}) && !(key in variables.known)`;
const changedUnknown = [
  `(variables.before.size() > ${most} || variables.after.size() > ${most} ?`,
  `(variables.before == variables.after ? [] : [${celText(crowded)}]) :`,
  `variables.after.filter(key, ${isUnknown} && !(key in variables.before && variables.before[key] == variables.after[key])) +`,
  `variables.before.filter(key, ${isUnknown} && (variables.isRemoved || !(key in variables.after))))`,
].join("\n");

const rebootGate = `${annotationPrefix}${rebootGateKey}`;

// Any user may replace the known value. An unknown value blocks all writes that reboot nodes, so replacing it requires
// permission.
const weakenedRebootGate = [
  `(${celText(rebootGate)} in variables.before && (variables.isRemoved || !(${celText(rebootGate)} in variables.after) ||`,
  `  (variables.before[${celText(rebootGate)}] != ${celText(noBlockers)} &&`,
  `  variables.before[${celText(rebootGate)}] != variables.after[${celText(rebootGate)}])) ? [${celText(rebootGate)}] : [])`,
].join("\n");

const gateText = (gate: string) => `feature gate ${gate}`;

// Parses feature gates as the operator does: a map of booleans, or a list of names, with or without states.
function gatesOf(object: string, gates: readonly string[]): string {
  const obeyed = celList(gates.map((gate) => gate.toLowerCase()));
  const given = `${object}.?spec.?featureGates.orValue([])`;
  return [
    `${object} == null ? [] : type(${given}) == list ?`,
    `${given}.map(gate, type(gate) == string ? string(gate).lowerAscii() + '=Enabled' :`,
    "  string(gate.?name.orValue('')).lowerAscii() + '=' + string(gate.?state.orValue('Enabled')))",
    `  .filter(gate, gate.split('=')[0] in ${obeyed}) :`,
    `type(${given}) == map ?`,
    `${given}.filter(gate, gate.lowerAscii() in ${obeyed}).map(gate, gate.lowerAscii() + '=' + string(${given}[gate])) : []`,
  ].join("\n");
}

function changedGate(gate: string): string {
  const name = celText(gate.toLowerCase());
  const ofThis = (list: string) => `variables.${list}.filter(gate, gate.split('=')[0] == ${name})`;
  const isChanged = `${ofThis("gatesBefore")} != ${ofThis("gatesAfter")} || (variables.isRemoved && ${ofThis("gatesBefore")} != [])`;
  return `(${isChanged} ? [${celText(gateText(gate))}] : [])`;
}

/** Returns the changed switches that affect the kind. A switch without assets affects every kind. */
function concerning({ annotations, gates, isHeldAtGate }: Omit<Reach, "kind">): string {
  const own = celList([...annotations, ...gates.map(gateText), ...(isHeldAtGate ? [rebootGate] : [])]);
  return `variables.changed.filter(key, !(key in variables.particular) || key in ${own})`;
}

/** Numbers the variables of a kind that is written in several namespaces or exists in two groups. */
function variableFor(one: Reach, reach: readonly Reach[]): string {
  const place = reach.filter(({ kind }) => kind === one.kind).indexOf(one);
  return `for${one.kind}${place === 0 ? "" : place + 1}`;
}

function validationFor({ kind, group, resource, namespace }: Reach, variable: string): Validation {
  const isBesideHco = namespace === "*";
  const place = isBesideHco ? "request.namespace" : celText(namespace ?? "");
  const where = namespace === undefined ? "" : `.namespace(${place})`;
  const inside = namespace === undefined || isBesideHco ? "" : ` in namespace ${namespace}`;
  const right = `patch ${group === "" ? resource : `${resource}.${group}`}${inside}`;
  return {
    expression: [
      `variables.${variable}.size() == 0 ||`,
      `authorizer.group(${celText(group)}).resource(${celText(resource)})${where}.check('patch').allowed()`,
    ].join("\n"),
    messageExpression: [
      `request.userInfo.username + ' may not change ' + variables.${variable}.join(', ') +`,
      celText(
        ` on the HyperConverged: ${platform.name} would then write a ${kind}, which requires permission to ${right}`,
      ),
    ].join("\n"),
  };
}
