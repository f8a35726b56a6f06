// Patches of forbidden places: identity, parents, the root, our own annotations and prototypes.

import { failing, forbidden, type HostilePatch, malformed, operationsAt, patchText } from "./hostile-patch.ts";

const identity = [
  "/apiVersion",
  "/kind",
  "/metadata/name",
  "/metadata/namespace",
  "/metadata/uid",
  "/metadata/resourceVersion",
  "/metadata/generation",
  "/metadata/generateName",
  "/metadata/finalizers",
  "/metadata/finalizers/-",
  "/metadata/ownerReferences",
  "/metadata/ownerReferences/0/uid",
  "/metadata/managedFields",
  "/metadata/deletionTimestamp",
];
const parents = [
  "",
  "/",
  "/metadata",
  "/metadata/",
  "/metadata/labels",
  "/metadata/annotations",
  "/metadata/labels/a/b",
];
const outside = [
  "/status",
  "/status/conditions/0",
  "/specification",
  "/Spec",
  "/spec ",
  "/stringData/password",
  "/webhooks/0/clientConfig",
  "/rules/0",
];
const disguised = [
  "spec/a",
  "#/spec/a",
  "//spec/a",
  "/./spec/a",
  "/metadata~1name",
  "/spec~1../metadata/name",
  "/%6detadata/name",
  "/metadata/labels~1a",
];
const ours = [
  "/metadata/labels/platform.kubevirt.io~1managed-by",
  ...["patch", "ignore-fields", "mode", "adopt", "reconcile-paused", "state", "anything-new"].map(
    (key) => `/metadata/annotations/platform.kubevirt.io~1${key}`,
  ),
];
const prototypes = [
  "/__proto__",
  "/__proto__/polluted",
  "/constructor/prototype/polluted",
  "/spec/__proto__",
  "/spec/__proto__/polluted",
  "/spec/constructor",
  "/spec/constructor/prototype/polluted",
  "/spec/prototype",
  "/metadata/labels/__proto__",
  "/metadata/annotations/constructor",
];
const badEscapes = ["/spec/a~", "/spec/~", "/spec/a~2b", "/spec/a~01~", "/metadata/labels/a~/b"];
const inherited = ["toString", "valueOf", "hasOwnProperty", "__defineGetter__", "__lookupSetter__"];

export function hostilePlaces(field: string): readonly HostilePatch[] {
  const everyWay = (tries: string, places: readonly string[], refusal = forbidden): readonly HostilePatch[] =>
    places.flatMap((place) =>
      operationsAt(place, field).map((operation) => ({ tries, text: patchText(operation), refusal })),
    );
  return [
    ...everyWay("identity metadata", identity),
    ...everyWay("root and parents", parents),
    ...everyWay("other roots", outside),
    ...everyWay("disguised paths", disguised),
    ...everyWay("our own annotations", ours),
    ...everyWay("prototype keys", prototypes),
    ...everyWay("escapes", badEscapes, malformed),
    ...inherited.flatMap((name) => fromInherited(`/spec/${name}`, field)),
    ...escapedInJson(),
    ...climbing(field),
  ];
}

/** Inherited members must not count as members of the object. */
function fromInherited(place: string, field: string): readonly HostilePatch[] {
  const reading = operationsAt(place, field).filter(
    (operation) => !("op" in operation && operation.op === "add") && !("from" in operation && operation.from === field),
  );
  return reading.map((operation) => ({ tries: "inherited names", text: patchText(operation), refusal: failing }));
}

function escapedInJson(): readonly HostilePatch[] {
  const places = [...identity, ...ours, ...prototypes];
  return places.map((place) => {
    const hidden = Array.from(place, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
    const text = `[{"\\u006fp":"add","path":"${hidden}","value":"hostile"}]`;
    return { tries: "escapes of JSON", text, refusal: forbidden };
  });
}

/** Path segments that have a meaning only in a file system. */
function climbing(field: string): readonly HostilePatch[] {
  const places = ["/spec/../metadata/name", "/spec/./hostile", "/spec/*/hostile", `${field}/../../metadata/name`];
  return places.flatMap((place) =>
    operationsAt(place, field).map((operation) => ({
      tries: "climbing",
      text: patchText(operation),
      refusal: failing,
    })),
  );
}
