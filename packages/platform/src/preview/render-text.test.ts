import fc from "fast-check";
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { factsWith, hcoAnnotated, previewsIn } from "../testing/preview-fixtures.ts";
import type { RenderEntry } from "./render-text.ts";
import { renderDocuments, renderEntries, renderStatus, tableText } from "./render-text.ts";
import { rowsOf } from "./rows.ts";

const names = (said: Readonly<Record<string, string>>, choice: Parameters<typeof renderEntries>[1]) =>
  renderEntries(previewsIn(factsWith(hcoAnnotated(said))), choice).map(({ asset, status }) => `${asset} ${status}`);

test("parts share an entry, and omitted assets have one each on request", () => {
  expect(names({ "enable-second": "true" }, { showExcluded: false })).toEqual(["first,second INCLUDED"]);
  expect(names({}, { showExcluded: true })).toEqual(["first INCLUDED", "second EXCLUDED", "third EXCLUDED"]);
  expect(names({ "disabled-resources": "x" }, { showExcluded: false })).toEqual(["first ERROR"]);
});

test("shows a selected asset with its object", () => {
  expect(names({ "enable-second": "true" }, { asset: "second", showExcluded: false })).toEqual([
    "first,second INCLUDED",
  ]);
  expect(names({}, { asset: "second", showExcluded: false })).toEqual(["second EXCLUDED"]);
});

test("hostile reasons do not change the documents", () => {
  const object = { apiVersion: "v1", kind: "X", metadata: { name: "x" } };
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\n---\nkind: Evil\n", "\r\nkind: Evil", "\u2028kind: Evil", "\u0085kind: Evil")); // biome-ignore format: one line
  const law = fc.property(text, text, (reason, asset) => {
    const shown = { path: "p", component: "X", status: "INCLUDED", impact: "none", managedBy: "none" } as const;
    const entry: RenderEntry = { asset, reason, object, ...shown };
    const { object: _none, ...left } = entry;
    const read = loadAll(renderDocuments([entry, left, entry])).filter((one) => one !== null && one !== undefined);
    expect(read).toEqual([object, object]);
  });
  fc.assert(law);
});

test("the summary counts every status", () => {
  const rows = previewsIn(factsWith(hcoAnnotated({ "disabled-resources": "[{kind: Thing, name: ours}]" }))).flatMap(
    rowsOf,
  );
  expect(renderStatus(rows)).toMatch(/\nSummary: 0 included, 2 excluded, 1 filtered, 0 errors\n$/);
});

test("columns fit their widest cell, and an empty cell is a dash", () => {
  expect(tableText([["A", "LONG", "C"], ["aa", "", "c\nd"]])).toBe("A    LONG   C\naa   -      c d\n"); // biome-ignore format: one line
});
