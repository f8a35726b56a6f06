import fc from "fast-check";
import { expect, test } from "vitest";
import { deviceAnnotations, readUsbDevices, readVfioDevices } from "./devices.ts";

const vfio = { selector: "10DE:1EB8", resourceName: "nvidia.com/TU104GL_Tesla_T4" };
const usb = { resourceName: "kubevirt.io/storage", selectors: [{ vendor: "46f4", product: "0001" }] };

test("accepts the documented examples in JSON and YAML", () => {
  expect(readVfioDevices(JSON.stringify([vfio]))).toEqual({ kind: "devices", devices: [vfio] });
  expect(readUsbDevices(JSON.stringify([usb]))).toEqual({ kind: "devices", devices: [usb] });
  const yaml = `
- selector: 10DE:1EB8
  resourceName: nvidia.com/TU104GL_Tesla_T4
`;
  expect(readVfioDevices(yaml)).toEqual({ kind: "devices", devices: [vfio] });
});

test("keeps the provider of the resource", () => {
  const given = [true, false].map((externalResourceProvider, at) => ({
    selector: `10de:000${at}`,
    resourceName: "a.b/c",
    externalResourceProvider,
  }));
  expect(readVfioDevices(JSON.stringify(given))).toEqual({ kind: "devices", devices: given });
});

const many = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const vfioOf = (at: number) => ({ ...vfio, selector: `10de:${at.toString(16).padStart(4, "0")}` });
const usbOf = (at: number) => ({ ...usb, resourceName: `a.b/c${at}` });

test("accepts the documented maximum", () => {
  expect(readVfioDevices(JSON.stringify(many(16, vfioOf)))).toMatchObject({ kind: "devices" });
  expect(readUsbDevices(JSON.stringify(many(32, usbOf)))).toMatchObject({ kind: "devices" });
  const selectors = many(16, () => usb.selectors[0]);
  expect(readUsbDevices(JSON.stringify([{ ...usb, selectors }]))).toMatchObject({ kind: "devices" });
});

type Refusal = { reason: string; given: unknown; says: string };

const name = (resourceName: unknown, says: string): Refusal => ({
  reason: `a resource called ${JSON.stringify(resourceName)}`,
  given: [{ ...vfio, resourceName }],
  says: `entry 0: resourceName must be a qualified name outside kubernetes.io, such as nvidia.com/TU104GL_Tesla_T4, but is ${says}`,
});
const selector = (given: unknown): Refusal => ({
  reason: `a selector ${JSON.stringify(given)}`,
  given: [{ ...vfio, selector: given }],
  says: `entry 0: selector must be vendor and device as a string, such as 10DE:1EB8, but is ${JSON.stringify(given) ?? "absent"}`,
});

const vfioRefusals: readonly Refusal[] = [
  { reason: "not a list", given: vfio, says: "not a list" },
  { reason: "a text", given: "a", says: "not a list" },
  { reason: "empty", given: [], says: "must have 1 to 16 entries, not 0" },
  { reason: "too many", given: many(17, vfioOf), says: "must have 1 to 16 entries, not 17" },
  { reason: "an entry that is not a map", given: [vfio, "a"], says: "entry 1: not a map" },
  { reason: "another key", given: [{ ...vfio, disabled: true }], says: "entry 0: unknown key disabled" },
  {
    reason: "the same device in other case",
    given: [vfio, { ...vfio, selector: "10de:1eb8" }],
    says: "entry 1: selector 10de:1eb8 is listed twice",
  },
  selector(undefined),
  selector("10DE"),
  selector("10DE:1EB"),
  selector("10DE:1EBG"),
  selector("10DE:1EB8 "),
  selector(10),
  name(undefined, "absent"),
  name("tesla", '"tesla"'),
  name("a.b/c/d", '"a.b/c/d"'),
  name("A.b/c", '"A.b/c"'),
  name("a.b/-c", '"a.b/-c"'),
  name(`a.b/${"c".repeat(64)}`, `"a.b/${"c".repeat(55)}…`),
  name("kubernetes.io/gpu", '"kubernetes.io/gpu"'),
  name("x.kubernetes.io/gpu", '"x.kubernetes.io/gpu"'),
  {
    reason: "a provider that is a text",
    given: [{ ...vfio, externalResourceProvider: "true" }],
    says: 'entry 0: externalResourceProvider must be true or false, but is "true"',
  },
];

test.each(vfioRefusals)("rejects PCI devices: $reason", ({ given, says }) => {
  expect(readVfioDevices(JSON.stringify(given))).toEqual({ kind: "refused", reason: says });
});

const digits = '1 to 4 hexadecimal digits as a string, such as "46f4"';
const usbSelector = (given: unknown) => [{ ...usb, selectors: [given] }];

const usbRefusals: readonly Refusal[] = [
  { reason: "empty", given: [], says: "must have 1 to 32 entries, not 0" },
  { reason: "too many", given: many(33, usbOf), says: "must have 1 to 32 entries, not 33" },
  { reason: "a duplicate name", given: [usb, usb], says: "entry 1: resourceName kubevirt.io/storage is listed twice" },
  { reason: "no selectors", given: [{ resourceName: "a.b/c" }], says: "entry 0: selectors must be a list" },
  {
    reason: "an empty list of selectors",
    given: [{ ...usb, selectors: [] }],
    says: "entry 0: must have 1 to 16 selectors, not 0",
  },
  {
    reason: "too many selectors",
    given: [{ ...usb, selectors: many(17, () => usb.selectors[0]) }],
    says: "entry 0: must have 1 to 16 selectors, not 17",
  },
  { reason: "a selector that is not a map", given: usbSelector("a"), says: "entry 0: selector 0: not a map" },
  {
    reason: "another key in a selector",
    given: usbSelector({ vendor: "1", product: "2", serial: "3" }),
    says: "entry 0: selector 0: unknown key serial",
  },
  {
    reason: "no vendor",
    given: usbSelector({ product: "2" }),
    says: `entry 0: selector 0: vendor must be ${digits}, but is absent`,
  },
  {
    reason: "a product that YAML reads as a number",
    given: usbSelector({ vendor: "46f4", product: 1 }),
    says: `entry 0: selector 0: product must be ${digits}, but is 1`,
  },
  {
    reason: "too many digits",
    given: usbSelector({ vendor: "46f4a", product: "1" }),
    says: `entry 0: selector 0: vendor must be ${digits}, but is "46f4a"`,
  },
];

test.each(usbRefusals)("rejects USB devices: $reason", ({ given, says }) => {
  expect(readUsbDevices(JSON.stringify(given))).toEqual({ kind: "refused", reason: says });
});

const filled = (text: string) => text.repeat(Math.floor(16_384 / text.length));

type Hostile = { reason: string; text: string; says: string };

const hostile: readonly Hostile[] = [
  { reason: "empty", text: "", says: "not YAML: expected a document, but the input is empty" },
  { reason: "one byte too many", text: `[${" ".repeat(16_383)}]`, says: "text exceeds 16384 bytes: 16385" },
  { reason: "wide letters count in bytes", text: `"${"ä".repeat(8_192)}"`, says: "text exceeds 16384 bytes: 16386" },
  { reason: "an alias", text: "[&a {selector: 10DE:1EB8, resourceName: a.b/c}, *a]", says: "not YAML: aliases" },
  { reason: "an alias bomb", text: `a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]`, says: "not YAML: aliases" },
  { reason: "an alias to itself", text: "&a [*a]", says: "not YAML: aliases" },
  { reason: "a custom type", text: "[!!js/function 'x']", says: "not YAML: unknown scalar tag" },
  { reason: "binary data", text: "[!!binary aGk=]", says: "not YAML: unknown scalar tag" },
  { reason: "two documents", text: "---\n[]\n---\n[]", says: "not YAML: more than one document" },
  { reason: "very many documents", text: filled("---\n"), says: "not YAML: more than one document" },
  { reason: "a duplicate key", text: "[{selector: a, selector: b}]", says: "not YAML: duplicated mapping key" },
  { reason: "a prototype", text: '[{"__proto__": {"selector": "10DE:1EB8"}}]', says: "entry 0: unknown key __proto__" },
  { reason: "a constructor", text: "[{constructor: {prototype: {a: b}}}]", says: "entry 0: unknown key constructor" },
  { reason: "a merge key", text: "[{<<: {selector: 10DE:1EB8}}]", says: "entry 0: unknown key <<" },
  { reason: "deep lists", text: filled("["), says: "not YAML: nesting" },
  { reason: "deep maps", text: filled("{a: "), says: "not YAML: nesting" },
  { reason: "deep complex keys", text: filled("? "), says: "not YAML: nesting" },
  { reason: "a long list", text: `[${filled("a,").slice(0, -4)}]`, says: "must have 1 to 16 entries" },
  { reason: "a long number", text: `[${filled("9").slice(2)}]`, says: "entry 0: not a map" },
  { reason: "an unterminated quote", text: filled('"\\u0041'), says: "not YAML" },
  { reason: "an infinite number", text: "[{selector: .inf, resourceName: a.b/c}]", says: "entry 0: selector must be" },
  { reason: "a long unknown key", text: `[{${"k".repeat(500)}: 1}]`, says: `entry 0: unknown key ${"k".repeat(60)}…` },
];

test.each(hostile)("rejects hostile text at once: $reason", ({ text, says }) => {
  const problem = deviceAnnotations["vfio-devices"]?.(text);
  expect(problem).toContain(says);
  expect(deviceAnnotations["usb-devices"]?.(text)).toBeDefined();
  expect(Object.hasOwn(Object.prototype, "selector")).toBe(false);
});

test("no text throws, and accepted devices are valid", () => {
  const sign = fc.constantFrom(
    "-",
    " ",
    "\n",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    '"',
    "'",
    "&",
    "*",
    "!",
    "|",
    ">",
    "#",
    "?",
    "%",
    "a",
    "0",
    "selector",
    "10DE:1EB8",
  );
  const words = fc.array(sign, { size: "max", maxLength: 60 }).map((signs) => signs.join(""));
  const law = fc.property(words, (text) => {
    const read = readVfioDevices(text);
    return read.kind === "refused" ? read.reason.length < 400 : read.devices.every(({ selector }) => selector !== "");
  });
  fc.assert(law);
});
