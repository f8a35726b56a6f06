import { afterAll, beforeAll, expect, test } from "vitest";
import { higherDensity, loadAware } from "../support/advisor.ts";
import type { TestCluster } from "../support/test-cluster.ts";
import { startAdvisedCluster } from "./advised-cluster.ts";
import { acceptedCodes, hintsIn, pasteCommand } from "./pasted-command.ts";

let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startAdvisedCluster();
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const plugin = "kubectl virt-advisor";
const isApproval = (hint: string) => hint.startsWith(`${plugin} approve`);

test("every hint on the way to an approved plan runs as printed", { tags: ["thorough"] }, async () => {
  const hints = new Set<string>();
  let approval = "";
  const followHints = async (command: string) => {
    const { printed } = await pasteCommand(command, testCluster.server);
    for (const hint of hintsIn(printed)) {
      if (isApproval(hint)) approval = hint;
      if (isApproval(hint) || hints.has(hint)) continue;
      hints.add(hint);
      const pasted = await pasteCommand(hint, testCluster.server);
      expect(acceptedCodes, `${hint}\n${pasted.printed}`).toContain(pasted.code);
      approval = hintsIn(pasted.printed).find(isApproval) ?? approval;
    }
  };
  await followHints(`${plugin} diff ${higherDensity}`);
  for (const verb of ["profiles", "status", "doctor", "drift"]) await followHints(`${plugin} ${verb}`);
  for (const verb of ["diff", "plan", "impact", "status", "diff", "reject", "approve"])
    await followHints(`${plugin} ${verb} ${loadAware}`);
  expect(approval).toMatch(/ approve load-aware-rebalancing --hash [0-9a-f]{12}$/u);
  const approved = await pasteCommand(approval, testCluster.server);
  expect(approved).toMatchObject({ code: 0 });
  const [follow = ""] = hintsIn(approved.printed);
  expect(follow).toBe(`${plugin} status ${loadAware} --watch`);
  expect(acceptedCodes).toContain((await pasteCommand(follow, testCluster.server)).code);
  await testCluster.configs.until(loadAware, "Completed");
  await followHints(`${plugin} status ${loadAware}`);
  expect([...hints]).toEqual(
    expect.arrayContaining([`${plugin} plan ${loadAware}`, `${plugin} plan ${loadAware} --set mode=Predictive`]),
  );
});
