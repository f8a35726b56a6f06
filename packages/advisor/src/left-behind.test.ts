import type { KubeObject, LeftBehind, Status } from "@virt/api";
import { expect, test } from "vitest";
import { conditionOf } from "./conditions/status-conditions.ts";
import { leftBehindOf, possibleTargets, wantsLeftBehind } from "./left-behind.ts";
import type { Profile } from "./profile.ts";
import { configObject, observedWith, spec } from "./testing/observed-fixtures.ts";
import { transition } from "./transition.ts";

const time = "2026-01-01T00:00:00Z";
const machineConfig: LeftBehind = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  name: "99-worker-psi-karg",
  appliedTime: time,
};

const owned = (manager: string, operation: "Apply" | "Update", subresource?: string): KubeObject => ({
  apiVersion: machineConfig.apiVersion,
  kind: machineConfig.kind,
  metadata: {
    name: machineConfig.name,
    managedFields: [
      {
        manager,
        operation,
        apiVersion: machineConfig.apiVersion,
        time,
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:kernelArguments": {} } },
        ...(subresource !== undefined && { subresource }),
      },
    ],
  },
});

test("lists objects that the profile applied, not those of other profiles and clients", () => {
  const ours = "virt-advisor-operator";
  expect(leftBehindOf([owned(ours, "Apply")], ours)).toEqual([machineConfig]);
  const others = [
    owned("virt-platform-operator", "Apply"),
    owned("kubectl", "Update"),
    owned(ours, "Apply", "status"),
    owned("virt-advisor-operator-live-migration", "Apply"),
  ];
  expect(leftBehindOf(others, ours)).toEqual([]);
});

test("checks every possible name, namespace and version of a target", () => {
  const profile = {
    targets: [
      { group: "", kind: "ConfigMap", plural: "configmaps", names: ["c"], namespaces: ["fixed", "$operator"] },
      {
        group: "hco.kubevirt.io",
        kind: "HyperConverged",
        plural: "hyperconvergeds",
        names: ["h"],
        namespaces: ["$hco"],
      },
      { group: "g", kind: "Cluster", plural: "clusters", names: ["a", "b"] },
      { group: "h", kind: "Sometimes", plural: "sometimes", names: ["c"], forms: [{ apiVersion: "h/v1alpha1" }] },
    ],
    needs: () => [{ group: "hco.kubevirt.io", kind: "HyperConverged", versions: ["v1", "v1beta1"] }],
  } as unknown as Profile;
  const refs = possibleTargets(profile, { ownNamespace: "own", hcoNamespaces: ["x", "y"] });
  const shown = refs.map((versions) =>
    versions.map(({ apiVersion, kind, namespace = "", name }) => `${apiVersion} ${kind} ${namespace}/${name}`).join(),
  );
  expect(shown).toEqual([
    "v1 ConfigMap fixed/c",
    "v1 ConfigMap own/c",
    "hco.kubevirt.io/v1 HyperConverged x/h,hco.kubevirt.io/v1beta1 HyperConverged x/h",
    "hco.kubevirt.io/v1 HyperConverged y/h,hco.kubevirt.io/v1beta1 HyperConverged y/h",
    "g/v1 Cluster /a",
    "g/v1 Cluster /b",
    "h/v1alpha1 Sometimes /c",
  ]);
});

test("checks the versions of a target's content if only some options need its kind", () => {
  const forms = [{ apiVersion: "hco.kubevirt.io/v1beta1" }, { apiVersion: "hco.kubevirt.io/v1" }];
  const target = { group: "hco.kubevirt.io", kind: "HyperConverged", plural: "hyperconvergeds", names: ["h"], forms };
  const profile = { targets: [target], needs: () => [] } as unknown as Profile;
  const found = possibleTargets(profile, { ownNamespace: "own", hcoNamespaces: [] });
  expect(found.flat().map(({ apiVersion }) => apiVersion)).toEqual(["hco.kubevirt.io/v1beta1", "hco.kubevirt.io/v1"]);
});

test("reads targets after Ignore, after an edit and after a start", () => {
  const config = (action: "Ignore" | "DryRun", status: Status) => configObject(status, { action }, { generation: 2 });
  const ignored = { phase: "Ignored", observedGeneration: 2 } as const;
  expect(wantsLeftBehind(config("Ignore", { phase: "InProgress", observedGeneration: 1 }), "own")).toBe(true);
  expect(wantsLeftBehind(config("Ignore", { ...ignored, observedGeneration: 1 }), "own")).toBe(true);
  expect(wantsLeftBehind(config("Ignore", ignored), "unknown")).toBe(true);
  expect(wantsLeftBehind(config("Ignore", ignored), "own")).toBe(false);
  expect(wantsLeftBehind(config("DryRun", {}), "unknown")).toBe(false);
});

test("an ignored config lists leftover objects and the next step", () => {
  const observed = { ...observedWith("InProgress"), spec: spec({ action: "Ignore" }) };
  const { status } = transition({ ...observed, leftBehind: [machineConfig] });
  expect(status).toMatchObject({ phase: "Ignored", leftBehind: [machineConfig] });
  expect(conditionOf(status, "Ready")?.message).toMatch(
    /Next: keep or delete the objects that an earlier plan left behind: MachineConfig '99-worker-psi-karg'\. To manage them again, run: kubectl virt-advisor plan /,
  );
});

test("lists an unreadable object as unchecked, not as left behind", () => {
  const unread = { ...machineConfig, name: "90-worker-swap-online", unread: true };
  const observed = { ...observedWith("InProgress"), spec: spec({ action: "Ignore" }) };
  const messageOf = (leftBehind: readonly LeftBehind[]) =>
    conditionOf(transition({ ...observed, leftBehind }).status, "Ready")?.message;
  expect(messageOf([unread])).toMatch(
    /Next: check whether an earlier plan left these objects behind: MachineConfig '90-worker-swap-online'\. The advisor cannot read them\.$/,
  );
  expect(messageOf([machineConfig, unread])).toMatch(
    /left behind: MachineConfig '99-worker-psi-karg'\. .* Check whether an earlier plan left these objects behind: MachineConfig '90-worker-swap-online'\./,
  );
});

test("keeps the list until objects were read or the config is managed", () => {
  const stored = { ...observedWith("Ignored").stored, leftBehind: [machineConfig] };
  const ignored = { ...observedWith("Ignored"), stored, spec: spec({ action: "Ignore" }) };
  expect(transition(ignored).status.leftBehind).toEqual([machineConfig]);
  expect(transition({ ...ignored, leftBehind: [] }).status).not.toHaveProperty("leftBehind");
  expect(transition({ ...ignored, spec: spec({ action: "DryRun" }) }).status).not.toHaveProperty("leftBehind");
});
