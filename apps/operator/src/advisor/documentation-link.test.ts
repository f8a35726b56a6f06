import { existsSync } from "node:fs";
import { type KubeObject, repositoryUrl } from "@virt/api";
import { profiles } from "@virt/catalog";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { documentationUrl, outdatedLink } from "./documentation-link.ts";

const settings = { operator: { version: "v1.2.3", mustPin: false }, documentationUrlTemplate: undefined };
const [autoCreated, link] = ["advisor.kubevirt.io/auto-created", "advisor.kubevirt.io/documentation-url"];

test.each(profiles.map((profile) => [profile.name, profile] as const))(
  "%s links to a page of the release",
  (_name, profile) => {
    const url = documentationUrl(profile, settings);
    const start = `${repositoryUrl}/blob/v1.2.3/`;
    expect(url).toMatch(/^https:[!-~]+\/docs\/[A-Za-z_-]+\.md$/);
    expect(url.startsWith(start)).toBe(true);
    expect([url, existsSync(inRepository(url.slice(start.length)))]).toEqual([url, true]);
  },
);

test("a version without a leading v, and a template of the installation", () => {
  const page = { documentation: "PAGE" };
  const operator = { version: "1.2.3", mustPin: false };
  expect(documentationUrl(page, { ...settings, operator })).toBe(`${repositoryUrl}/blob/v1.2.3/docs/PAGE.md`);
  const documentationUrlTemplate = "https://docs.example/%s?from=%s";
  expect(documentationUrl(page, { operator, documentationUrlTemplate })).toBe("https://docs.example/PAGE?from=PAGE");
});

type Written = Readonly<Record<string, { readonly value: string; readonly by: string }>>;

function configWith(written: Written): KubeObject {
  const entries = Object.entries(written);
  const managedFields = entries.map(([key, { by }]) => ({
    manager: by,
    operation: "Update",
    apiVersion: "advisor.kubevirt.io/v1alpha1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:annotations": { [`f:${key}`]: {} } } },
  }));
  const annotations = Object.fromEntries(entries.map(([key, { value }]) => [key, value]));
  const metadata = { name: "x", annotations, managedFields };
  return { apiVersion: "advisor.kubevirt.io/v1alpha1", kind: "VirtPlatformConfig", metadata };
}

const ours = "virt-advisor-operator";
const created = { [autoCreated]: { value: "true", by: ours } };

test.each<[string, Written, boolean]>([
  ["without a link", created, true],
  ["with our outdated link", { ...created, [link]: { value: "old", by: ours } }, true],
  ["with the current link", { ...created, [link]: { value: "new", by: ours } }, false],
  ["with a link that a user wrote", { ...created, [link]: { value: "old", by: "kubectl-edit" } }, false],
  ["that a user created", {}, false],
  ["that a user copied without the link", { [autoCreated]: { value: "true", by: "kubectl-create" } }, false],
  [
    "that a user copied",
    { [autoCreated]: { value: "true", by: "kubectl-create" }, [link]: { value: "old", by: "kubectl-create" } },
    false,
  ],
])("corrects the link of a config %s: %s", (_what, written, isCorrected) => {
  expect(outdatedLink(configWith(written), "new")).toBe(isCorrected ? "new" : undefined);
});
