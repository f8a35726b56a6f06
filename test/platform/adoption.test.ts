import { expect, test } from "vitest";
import { objectPaths, type RunningPlatform, sharePlatform } from "../support/running-platform.ts";

const { check } = objectPaths;
const checks = check.slice(0, check.lastIndexOf("/"));
const group = "self-node-remediation.medik8s.io/v1alpha1";
const platform = sharePlatform({ until: "started", prepare: createTheirs });

async function createTheirs({ testCluster: { server } }: RunningPlatform): Promise<void> {
  const template = { apiVersion: group, kind: "SelfNodeRemediationTemplate", name: "theirs", namespace: "theirs" };
  const body = {
    apiVersion: "remediation.medik8s.io/v1alpha1",
    kind: "NodeHealthCheck",
    metadata: { name: "virt-node-health-check" },
    spec: { minHealthy: "10%", selector: {}, remediationTemplate: template },
  };
  await server.request({ method: "POST", path: `${checks}?fieldManager=installer`, body });
}

test("reports each adopted field with both values and its previous owner", async () => {
  await expect.poll(() => platform.reports("Contested", "NodeHealthCheck")).toHaveLength(1);
  expect(await platform.specOf(check, "minHealthy")).toBe("10%");
  await platform.annotate(check, { adopt: "true" });
  await platform.until(async () => expect(await platform.specOf(check, "minHealthy")).toBe("51%"));
  const adopted = async () =>
    (await platform.outputs.events())
      .flatMap(({ reason, note }) => (reason === "FieldsAdopted" ? [note] : []))
      .join("\n");
  await expect.poll(adopted).toContain('/spec/minHealthy ("10%" → "51%", previously owned by installer)');
  expect(await adopted()).toContain("/spec/remediationTemplate (");
});
