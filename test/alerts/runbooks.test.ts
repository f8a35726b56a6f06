import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { advisorAlerts, platformAlerts } from "@virt/catalog";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { readRunbook, sections } from "./runbook.ts";

const alerts = [...advisorAlerts, ...platformAlerts].map(({ alert }) => alert);

test("each alert has a runbook, and each runbook has an alert", () => {
  const pages = readdirSync(inRepository("docs", "runbooks")).map((file) => basename(file, ".md"));
  expect(pages.toSorted()).toEqual([...alerts, "README"].toSorted());
});

test.each(alerts)("the runbook of %s covers meaning, impact, diagnosis and mitigation", (alert) => {
  const { headings, diagnosis, mitigation, clusterOnly } = readRunbook(alert);
  expect(headings).toEqual(sections);
  expect([diagnosis, mitigation].filter((text) => !text.includes("kubectl "))).toEqual([]);
  expect(clusterOnly.filter((block) => !block.startsWith("kubectl logs "))).toEqual([]);
});
