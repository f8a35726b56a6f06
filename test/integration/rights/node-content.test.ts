import type { JsonMap, KubeObject } from "@virt/api";
import { assets, profiles } from "@virt/catalog";
import { writeDataUrl } from "@virt/objects";
import type { ApiResponse } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountName, applyManifests, type ControllerName } from "../../support/account.ts";
import {
  bindRole,
  messageOf,
  type RightsCluster,
  startRightsCluster,
  untilDenied,
  type Write,
} from "./rights-cluster.ts";

const root = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const pathOf = (name: string) => `${root}/${name}`;
const roleLabel = "machineconfiguration.openshift.io/role";
const patchAnnotation = "platform.kubevirt.io/patch";

/** Declared objects of each operator. Tests below restate some of their contents independently. */
const rendered: Readonly<Record<ControllerName, readonly KubeObject[]>> = {
  advisor: profiles.flatMap(({ targets }) => targets.flatMap(({ content = [] }) => content.map((one) => one.object))),
  platform: assets.flatMap(({ content }) => content?.object ?? []),
};
const operators = ["advisor", "platform"] as const;

let cluster: RightsCluster;
beforeAll(async () => {
  cluster = await startRightsCluster();
  for (const by of operators) {
    await bindRole(cluster.server, accountName(by), "cluster-admin");
    const other: Write = { method: "DELETE", path: pathOf("00-worker") };
    await applyManifests(
      cluster.server,
      JSON.stringify({ ...(rendered[by][0] as KubeObject), metadata: { name: "00-worker" } }),
    );
    await untilDenied(cluster.accounts[by], other, `virt-${by}-operator-writes`);
  }
});
afterAll(() => cluster.server.stop());
afterEach(async () => {
  for (const { metadata } of [...rendered.advisor, ...rendered.platform])
    await cluster.server.request({ method: "DELETE", path: pathOf(metadata.name) });
});

const apply = (by: ControllerName, object: KubeObject): Promise<ApiResponse> =>
  cluster.accounts[by].request({
    method: "PATCH",
    path: `${pathOf(object.metadata.name)}?fieldManager=virt-${by}-operator&force=true`,
    contentType: "application/apply-patch+yaml",
    body: object,
  });

const withSpec = (object: KubeObject, spec: JsonMap): KubeObject => ({
  ...object,
  spec: { ...(object["spec"] as JsonMap), ...spec },
});
const withRole = (object: KubeObject, role: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { [roleLabel]: role } },
});
const inConfig = (config: JsonMap): JsonMap => ({ config: { ignition: { version: "3.2.0" }, ...config } });
const file = (path: string, text: string) => ({
  path,
  mode: 0o644,
  overwrite: true,
  contents: { source: writeDataUrl(text) },
});

const crimes: readonly { readonly what: string; readonly change: (object: KubeObject) => KubeObject }[] = [
  { what: "other kernel arguments", change: (one) => withSpec(one, { kernelArguments: ["init=/bin/evil"] }) },
  { what: "more kernel arguments", change: (one) => withSpec(one, { kernelArguments: ["psi=1", "init=/bin/evil"] }) },
  { what: "the role of other nodes", change: (one) => withRole(one, "infra") },
  { what: "another operating system", change: (one) => withSpec(one, { osImageURL: "hostile.example/os" }) },
  { what: "an extension", change: (one) => withSpec(one, { extensions: ["usbguard"] }) },
  {
    what: "a key for a user",
    change: (one) =>
      withSpec(one, inConfig({ passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh-rsa A"] }] } })),
  },
  {
    what: "a unit",
    change: (one) =>
      withSpec(one, inConfig({ systemd: { units: [{ name: "evil.service", enabled: true, contents: "[Service]" }] } })),
  },
  {
    what: "a unit of ours with other contents",
    change: (one) =>
      withSpec(one, inConfig({ systemd: { units: [{ name: "virt-swap-enable.service", contents: "[Service]" }] } })),
  },
  { what: "a file", change: (one) => withSpec(one, inConfig({ storage: { files: [file("/etc/evil", "evil")] } })) },
  {
    what: "a file of ours with other contents",
    change: (one) => withSpec(one, inConfig({ storage: { files: [file("/etc/find-swap-partition", "evil")] } })),
  },
  {
    what: "a directory",
    change: (one) => withSpec(one, inConfig({ storage: { directories: [{ path: "/etc/evil" }] } })),
  },
];

describe.each(operators)("the token of the %s with all cluster rights", (by) => {
  test.each(rendered[by].map((object) => ({ name: object.metadata.name, object })))(
    "writes the catalog's $name, also over another client's changes",
    async ({ name, object }) => {
      expect(messageOf(await apply(by, object))).toBe("");
      const body = { spec: { kernelArguments: ["quiet"], osImageURL: "somebody.example/os" } };
      await cluster.server.request({ method: "PATCH", path: pathOf(name), body });
      expect(await apply(by, object)).toMatchObject({ status: 200 });
    },
  );

  test.each(crimes)("cannot give nodes $what", async ({ change }) => {
    for (const object of rendered[by]) {
      const answer = await apply(by, change(object));
      expect({ name: object.metadata.name, status: answer.status }).toMatchObject({ status: 403 });
      expect(messageOf(answer)).toContain(`virt-${by}-operator may not write`);
      expect(messageOf(answer)).toContain(
        `of MachineConfig ${object.metadata.name}: its catalog does not contain this content`,
      );
    }
    const [object] = rendered[by] as [KubeObject];
    expect(await apply(by, object)).toMatchObject({ status: 201 });
    expect(await apply(by, change(object))).toMatchObject({ status: 403 });
  });
});

test("the catalog gives nodes only the reviewed kernel arguments", () => {
  const plain = (name: string) => {
    const found = [...rendered.advisor, ...rendered.platform].find(({ metadata }) => metadata.name === name);
    return { role: found?.metadata.labels?.[roleLabel], spec: found?.["spec"] };
  };
  expect(plain("99-worker-psi-karg")).toEqual({ role: "worker", spec: { kernelArguments: ["psi=1"] } });
  const iommu = { kernelArguments: ["intel_iommu=on", "iommu=pt"] };
  expect(plain("50-virt-pci-passthrough")).toEqual({ role: "worker", spec: iommu });
});

describe("on a MachineConfig with a user's patch", () => {
  const name = "99-openshift-machineconfig-worker-psi-karg";
  const object = rendered.platform.find(({ metadata }) => metadata.name === name) as KubeObject;
  const annotate = (value: string | null) => ({ metadata: { annotations: { [patchAnnotation]: value } } });
  const patch = '[{"op":"add","path":"/spec/kernelArguments/-","value":"quiet"}]';

  test("the platform operator's token cannot set or clear the patch itself", async () => {
    expect(await apply("platform", object)).toMatchObject({ status: 201 });
    const set = { method: "PATCH", path: pathOf(name), body: annotate(patch) } as const;
    const answer = await cluster.accounts.platform.request(set);
    expect(answer.status).toBe(403);
    // If two policies deny the request, the API server names either.
    expect(messageOf(answer)).toMatch(
      /may not (set or remove override annotations on|write metadata[.]annotations of)/,
    );
    await cluster.server.request(set);
    const clear = { ...set, body: annotate(null) };
    expect(await cluster.accounts.platform.request(clear)).toMatchObject({ status: 403 });
  });
});

describe("devices for VMs", () => {
  const object = rendered.platform.find(({ metadata }) => metadata.name === "50-virt-vfio-assign") as KubeObject;
  const modules = file("/etc/modules-load.d/virt-vfio.conf", "vfio-pci\n");
  const naming = (text: string) =>
    withSpec(object, inConfig({ storage: { files: [file("/etc/modprobe.d/virt-vfio.conf", text), modules] } }));

  test.each([1, 2, 3, 4])("are written by the platform operator, %i of them", async (count) => {
    const ids = Array.from({ length: count }, (_, at) => `10de:1eb${at}`).join(",");
    expect(messageOf(await apply("platform", naming(`options vfio-pci ids=${ids}\n`)))).toBe("");
  });

  test.each(["options vfio-pci ids=10de:1eb8\ninstall vfio-pci /bin/evil\n", "install vfio-pci /bin/evil\n", ""])(
    "allow no other content of their file: %j",
    async (text) => {
      expect(await apply("platform", naming(text))).toMatchObject({ status: 403 });
    },
  );
});
