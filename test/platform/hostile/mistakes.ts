// Invalid texts for annotations other than the patch.

export const pointers = [
  "spec/a",
  "/spec/a, spec/b",
  "/spec/a~",
  "/spec/a~2",
  "/",
  "/metadata",
  "/metadata/name",
  "/metadata/labels",
  "/status/conditions",
  "/apiVersion",
  "/metadata/annotations/platform.kubevirt.io~1state",
  "/metadata/labels/platform.kubevirt.io~1managed-by",
  "/spec/__proto__",
  "/spec/constructor/prototype",
  "[1]",
  '["/spec/a", null]',
  '["/spec/a"',
  "[{}]",
  Array.from({ length: 101 }, (_, at) => `/spec/a${at}`).join(),
  `/spec/${"a".repeat(17_000)}`,
];

export const featureTexts: readonly {
  readonly key: string;
  readonly texts: readonly string[];
  readonly reason?: string;
}[] = [
  {
    key: "vfio-devices",
    texts: ["[", '["a', "- &a b\n- *a", "3", '[{"selector": "zz"}]', "--- a\n--- b", "[!!js/function 1]"],
  },
  {
    key: "usb-devices",
    texts: ["[{]", "yes", '[{"resourceName": 1}]', '[{"resourceName": "a/b", "selectors": []}]'],
  },
  { key: "disabled-resources", texts: ["[", "kind: x", "- 1", "- kind: [a]"], reason: "InvalidExclusions" },
  { key: "prune", texts: ["yes", "TRUE"] },
  { key: "enable-swap", texts: ["no", "0"] },
];
