import { expect, test } from "vitest";
import { exampleObject, withAnnotations } from "../testing/reconciled-example.ts";
import { type Overrides, readOverrides } from "./overrides.ts";

const none: Overrides = {
  patch: undefined,
  ignoreFields: undefined,
  isUnmanaged: false,
  isGoverned: false,
  isAdopted: false,
  isPaused: false,
  mistakes: [],
};
const cases: readonly { reason: string; said: Parameters<typeof withAnnotations>[0]; overrides: Partial<Overrides> }[] =
  [
    { reason: "no annotations", said: {}, overrides: {} },
    {
      reason: "trims texts",
      said: { patch: " [] ", ignoreFields: " /spec/a\n" },
      overrides: { patch: "[]", ignoreFields: "/spec/a" },
    },
    {
      reason: "an empty text counts as absent",
      said: { patch: " ", ignoreFields: "", mode: "", paused: "" },
      overrides: {},
    },
    { reason: "unmanaged is a mode", said: { mode: " unmanaged" }, overrides: { isUnmanaged: true } },
    {
      reason: "a governor keeps an unmanaged object",
      said: { mode: "unmanaged", governor: " virt-platform-operator" },
      overrides: { isGoverned: true },
    },
    { reason: "a governor alone changes nothing", said: { governor: "virt-platform-operator" }, overrides: {} },
    { reason: "managed is the default", said: { mode: "managed" }, overrides: {} },
    {
      reason: "true adopts and pauses",
      said: { adopt: "true", paused: "true " },
      overrides: { isAdopted: true, isPaused: true },
    },
    { reason: "false does neither", said: { adopt: "false", paused: " false" }, overrides: {} },
  ];

test.each(cases)("$reason", ({ said, overrides }) => {
  expect(readOverrides(exampleObject({}, withAnnotations(said)))).toEqual({ ...none, ...overrides });
});

test("a missing object has no overrides", () => expect(readOverrides(undefined)).toEqual(none));

const prefix = "platform.kubevirt.io/";
const mistaken = (annotations: Readonly<Record<string, string>>, kind = "Thing") =>
  readOverrides({ ...exampleObject({}, { annotations }), kind }).mistakes.map(
    ({ reason, key, message }) => `${reason} ${key}: ${message}`,
  );
const words = "known annotations are patch, ignore-fields, mode, adopt, governor, reconcile-paused";

test.each([
  ["ignore-feilds", `${words}; did you mean ${prefix}ignore-fields?`],
  ["Mode", `${words}; did you mean ${prefix}mode?`],
  ["something-else", words],
  ["enable-swap", "it has an effect only on the HyperConverged"],
  ["virt-platform-operator", "it has an effect only on the HyperConverged"],
])("suggests a known key for %s", (key, message) => {
  expect(mistaken({ [`${prefix}${key}`]: "x" })).toEqual([`UnknownAnnotation ${prefix}${key}: ${message}`]);
});

test("ignores keys of others", () => {
  expect(mistaken({ "example.com/mode": "Unmanaged", mode: "x" })).toEqual([]);
});

test("holds the HyperConverged for object keys, not for switches", () => {
  const said = {
    "enable-swpa": "false",
    "virt-platform-operator": "true",
    "ignore-feilds": "/spec",
    "vfio-devices": "",
    odd: "1",
  };
  const annotations = Object.fromEntries(Object.entries(said).map(([key, value]) => [`${prefix}${key}`, value]));
  expect(mistaken(annotations, "HyperConverged")).toEqual([
    `UnknownAnnotation ${prefix}ignore-feilds: ${words}; did you mean ${prefix}ignore-fields?`,
  ]);
});

test.each([
  ["mode", "Unmanaged", "InvalidMode", 'must be unmanaged, managed or empty, not "Unmanaged"; did you mean unmanaged?'],
  ["mode", "unmanged", "InvalidMode", 'must be unmanaged, managed or empty, not "unmanged"; did you mean unmanaged?'],
  ["mode", "sometimes", "InvalidMode", 'must be unmanaged, managed or empty, not "sometimes"'],
  ["reconcile-paused", "True", "InvalidConfiguration", 'must be true or false, not "True"; did you mean true?'],
  [
    "governor",
    "virt-platform-autopilot",
    "InvalidConfiguration",
    'must be virt-platform-operator or empty, not "virt-platform-autopilot"',
  ],
  ["adopt", "yes", "InvalidConfiguration", 'must be true or false, not "yes"; did you mean true?'],
])("%s=%s is a mistake", (key, value, reason, message) => {
  expect(mistaken({ [`${prefix}${key}`]: value })).toEqual([`${reason} ${prefix}${key}: ${message}`]);
});

test.each([
  "managed-by",
  "version",
  "enable-cpu-manager-perf-tunings",
  "enable-logging",
  "enable-audit-logging",
  "logging-storage-class",
  "enable-kubevirt-metrics-exporter",
  "kubevirt-metrics-exporter-env",
  "enable-vm-drain-shutdown-inhibitor",
])("the autopilot's annotation %s puts no object on hold", (key) => {
  expect([mistaken({ [`${prefix}${key}`]: "x" }), mistaken({ [`${prefix}${key}`]: "x" }, "HyperConverged")]).toEqual([
    [],
    [],
  ]);
});

test("reports the first of many unknown keys", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${prefix}key-${at}`, ""]));
  expect(mistaken(many)).toHaveLength(3);
});
