import { expect, test } from "vitest";
import { adoptionKey } from "./adoption-key.ts";

const idle = { isActive: false, listed: undefined, unknown: [], source: "flag", text: "" } as const;
const all = { ...idle, isActive: true };
const listed = { ...all, listed: new Set(["a", "b"]) };
const assets = { inForce: ["a"], adopted: ["c"], added: ["d"], later: [] as readonly string[] };

test("an idle controller gets a list of the adopted and added assets", () => {
  expect(adoptionKey({ ...assets, activation: idle, inForce: [] })).toBe("c,d");
});

test("a list of the user only grows by the adopted assets", () => {
  expect(adoptionKey({ ...assets, activation: listed, adopted: ["b", "c"] })).toBe("a,b,c");
});

test("a controller that is active for all assets stays so, unless that would reboot nodes", () => {
  expect(adoptionKey({ ...assets, activation: all })).toBe("true");
  expect(adoptionKey({ ...assets, activation: all, later: ["e"] })).toBe("a,c,d");
});
