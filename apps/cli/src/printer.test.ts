import { expect, test } from "vitest";
import type { Block } from "./blocks.ts";
import { renderBlocks } from "./testing/render-blocks.ts";

const table: Block = {
  kind: "table",
  head: ["NAME", "PHASE"],
  rows: [["load-aware-rebalancing", { text: "Completed", style: "good" }]],
};

test("prints a table, or records if the terminal is too narrow", () => {
  expect(renderBlocks([table])).toBe("NAME                     PHASE\nload-aware-rebalancing   Completed\n");
  expect(renderBlocks([table], { columns: 30 })).toBe("NAME:  load-aware-rebalancing\n  PHASE: Completed\n");
});

test("-o wide adds the wide columns of a table", () => {
  const more: Block = { ...table, wide: { head: ["SINCE"], rows: [["2026-01-01T00:00:00Z"]] } };
  expect(renderBlocks([more], { format: "wide" })).toBe(
    "NAME                     PHASE       SINCE\nload-aware-rebalancing   Completed   2026-01-01T00:00:00Z\n",
  );
  expect(renderBlocks([more])).toBe(renderBlocks([table]));
});

test("folds the last column under itself if there is room", () => {
  const last = { text: "expected one thing, found another", style: "bad" } as const;
  const wide: Block = { kind: "table", head: ["A", "WHY"], rows: [["x", last]] };
  expect(renderBlocks([wide], { columns: 34 })).toBe("A   WHY\nx   expected one thing, found\n    another\n");
});

test("keeps a long link on the line of its label", () => {
  const link = `http://127.0.0.1/?token=${"0".repeat(40)}`;
  expect(renderBlocks([{ kind: "lines", lines: [[`Console: ${link}`]] }], { columns: 40 })).toBe(`Console: ${link}\n`);
});

test("colors surround words and replace none", () => {
  expect(renderBlocks([table], { isColored: true })).toContain("\u001B[32mCompleted\u001B[0m");
});

test("folds long lines at spaces and cuts no word", () => {
  const next: Block = { kind: "next", text: "read the diff, then approve it" };
  expect(renderBlocks([next], { columns: 20 })).toBe("Next: read the diff,\n  then approve it\n");
});

const approval = "kubectl virt-advisor approve load-aware-rebalancing --hash 0123456789ab";
const restoration = "kubectl get vpconf x -o jsonpath='{.status.items[0]}' | kubectl apply --server-side -f -";

test.each([
  { command: approval, block: { kind: "next", text: `read the diff, then approve this plan with: ${approval}` } },
  { command: restoration, block: { kind: "lines", lines: [[`Plan again, or restore it with: ${restoration}`]] } },
  { command: restoration, block: { kind: "lines", lines: [["        ", { text: restoration, style: "bad" }]] } },
  {
    command: approval,
    block: { kind: "table", head: ["A", "WHY"], rows: [["x", `the plan needs a review (${approval})`]] },
  },
] as const)("`$command` in $block.kind stays on one line at every width", (row) => {
  for (const columns of [20, 40, 60, 80, 100]) {
    const lines = renderBlocks([row.block], { columns }).split("\n");
    expect(lines.filter((line) => line.includes(row.command))).toHaveLength(1);
    for (const line of lines.filter((one) => !one.includes(row.command)))
      expect(line.length).toBeLessThanOrEqual(columns);
  }
});

test("JSON and YAML documents carry their API version", () => {
  expect(JSON.parse(renderBlocks([table], { format: "json" }))).toEqual({
    apiVersion: "cli.advisor.kubevirt.io/v1",
    kind: "Thing",
    items: [1],
  });
  expect(renderBlocks([table], { format: "yaml" })).toContain("apiVersion: cli.advisor.kubevirt.io/v1\n");
});

test("cluster text cannot break out of a Markdown table or fence", () => {
  const hostile: Block = { kind: "table", head: ["A"], rows: [["x | y\n# z"]] };
  expect(renderBlocks([hostile], { format: "markdown" })).toBe("| A |\n| --- |\n| x \\| y # z |\n");
  expect(renderBlocks([{ kind: "diff", text: "+```\n" }], { format: "markdown" })).toBe("````diff\n+```\n````\n");
});
