import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installerFiles } from "../../../tools/package/installer.ts";
import { readManifests } from "../../../tools/package/manifests.ts";
import { endNamespaces } from "../shipping/namespace-controller.ts";

let server: Server;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

test("kubectl applies, deletes and reapplies the installer", async () => {
  const file = inRepository("dist", "install.yaml");
  for (let round = 1; round <= 2; round++) {
    expect(await server.kubectl("apply", "--server-side", "--force-conflicts", "-f", file)).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(await server.kubectl("delete", "--wait=false", "-f", file)).toMatchObject({ code: 0 });
    await endNamespaces(server);
    await expect
      .poll(() => server.kubectl("get", "crd", "virtplatformconfigs.advisor.kubevirt.io"))
      .toMatchObject({ code: 1 });
  }
});

test("the installer contains only the given image", async () => {
  const image = `registry.example/virt@sha256:${"0".repeat(64)}`;
  const text = installerFiles((await readManifests(image)).both).texts["dist/install.yaml"] ?? "";
  expect([...text.matchAll(/ image: (.*)/g)].map(([, name]) => name)).toEqual([image, image]);
});
