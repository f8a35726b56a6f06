// Patches with excessive depth, size, amplification, numbers and indices.

import { failing, type HostilePatch, operationsAt, patchText, tooMuch } from "./hostile-patch.ts";

const at = "/spec/hostile";
const add = (value: unknown) => ({ op: "add", path: at, value });
const many = (count: number, make: (at: number) => object) => Array.from({ length: count }, (_, index) => make(index));

export function hostileLoads(field: string): readonly HostilePatch[] {
  return [...deep(), ...large(field), ...amplified(), ...numbers(field), ...indices(field)];
}

function deep(): readonly HostilePatch[] {
  const nestings = [63, 64, 65, 66, 100, 500, 999, 1_001, 5_000, 30_000];
  const lists = nestings.map((depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`);
  const maps = nestings.slice(0, 8).map((depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  const texts = [...lists, ...maps].map((value) => `[{"op":"add","path":"${at}","value":${value}}]`);
  const tested = lists.slice(3).map((value) => `[{"op":"test","path":"${at}","value":${value}}]`);
  const grown = patchText(add({}), ...many(99, () => ({ op: "copy", from: at, path: `${at}/a` })));
  return [...texts, ...tested, grown].map((text) => ({ tries: "depth", text, refusal: tooMuch }));
}

function large(field: string): readonly HostilePatch[] {
  const values = [65_536, 80_000, 120_000].map((length) => patchText(add("x".repeat(length))));
  const spaces = [65_536, 100_000].map((length) => `[${" ".repeat(length)}]`);
  const wide = patchText(add("ä".repeat(33_000)));
  const counts = [101, 500, 900].map((count) =>
    patchText(...many(count, () => ({ op: "test", path: field, value: 1 }))),
  );
  const pointers = [
    `/spec/${"a".repeat(1_019)}`,
    `/spec/${"ä".repeat(600)}`,
    `/spec${"/a".repeat(32)}`,
    `/spec${"/".repeat(400)}`,
  ];
  const far = pointers.flatMap((place) => operationsAt(place, field)).map((operation) => patchText(operation));
  return [...values, ...spaces, wide, ...counts, ...far].map((text) => ({ tries: "size", text, refusal: tooMuch }));
}

function amplified(): readonly HostilePatch[] {
  const doubling = (value: unknown, count = 60) =>
    patchText(add({ a: value }), ...many(count, (index) => ({ op: "copy", from: at, path: `${at}/k${index}` })));
  const beside = (value: unknown) =>
    patchText(add(value), ...many(99, (index) => ({ op: "copy", from: at, path: `${at}-${index}` })));
  const back = (value: unknown) =>
    patchText(
      add(value),
      ...many(99, (index) =>
        index % 2 === 0 ? { op: "move", from: at, path: `${at}-b` } : { op: "move", from: `${at}-b`, path: at },
      ),
    );
  const list = patchText(add([[]]), ...many(99, () => ({ op: "copy", from: at, path: `${at}/0` })));
  const wide = Object.fromEntries(many(4_000, () => []).map((_, index) => [`k${index}`, 0]));
  const values = ["x".repeat(8_000), "ä".repeat(9_000), "\u0001".repeat(8_000), wide, many(9_000, () => 0 as never)];
  const texts = [...values.flatMap((value) => [doubling(value), beside(value), back(value)]), list];
  return texts.map((text) => ({ tries: "amplification", text, refusal: tooMuch }));
}

function numbers(field: string): readonly HostilePatch[] {
  const beyond = ["9007199254740993", "-9007199254740993", "12345678901234567890", "1e16", "1e308", "1e999", "-1e999"];
  const values = beyond.flatMap((number) => [number, `[${number}]`, `{"a":{"b":${number}}}`]);
  const texts = values.map((value) => `[{"op":"add","path":"${field}","value":${value}}]`);
  return texts.map((text) => ({ tries: "numbers", text, refusal: tooMuch }));
}

/** Indices into a list that the patch itself adds. */
function indices(field: string): readonly HostilePatch[] {
  const names = [
    "99999999999999999999",
    "4294967296",
    "2147483648",
    "3",
    "-1",
    "01",
    "1e0",
    "0x0",
    "1.0",
    "length",
    "",
    " 0",
    "+0",
    "NaN",
  ];
  const first = add([1, 2]);
  return names.flatMap((name) =>
    operationsAt(`${at}/${name}`, field).map((operation) => ({
      tries: "indices",
      text: patchText(first, operation),
      refusal: failing,
    })),
  );
}
