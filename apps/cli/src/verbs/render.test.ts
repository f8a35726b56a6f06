import { configKind, type KubeObject } from "@virt/api";
import { assets, profiles } from "@virt/catalog";
import {
  emptyRecord,
  followGovernance,
  type GovernanceRecord,
  governanceObject,
  placesIn,
  switchesIn,
  writeGovernanceRecord,
} from "@virt/platform";
import { explainPreview, previewCatalog } from "@virt/reads";
import { expect, test } from "vitest";

const ownNamespace = "virt-platform-operator-system";
const profile = "virt-higher-density";
type Annotations = Readonly<Record<string, string>>;

function hcoWith(annotations: Annotations): KubeObject {
  const metadata = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv", uid: "a", annotations };
  return { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata, spec: {} };
}

function planWith(action: "Apply" | "Ignore"): KubeObject {
  const metadata = { name: profile, uid: "b", generation: action === "Apply" ? 1 : 2 };
  const status = { phase: action === "Apply" ? "Completed" : "Ignored", executedGeneration: 1 };
  return { apiVersion: configKind.apiVersion, kind: configKind.kind, metadata, spec: { profile, action }, status };
}

type Cluster = { readonly hco: KubeObject; readonly plan: KubeObject; readonly record: GovernanceRecord };

function recordAfter({ hco, plan, record }: Cluster): GovernanceRecord {
  const purposesOf = (name: string) => profiles.find((one) => one.name === name)?.purposes ?? [];
  const plans = [plan] as unknown as Parameters<typeof followGovernance>[1]["plans"];
  return followGovernance(record, {
    assets,
    places: placesIn(hco, { ownNamespace }),
    plans,
    purposesOf,
    hco: switchesIn(hco),
  });
}

async function explain({ hco, plan, record }: Cluster) {
  const files: Readonly<Record<string, readonly KubeObject[]>> = {
    hco: [hco],
    facts: [plan, governanceObject(ownNamespace, writeGovernanceRecord(record))],
  };
  const read = (path: string) => (files[path] ?? []).map((object) => JSON.stringify(object)).join("\n---\n");
  const preview = await previewCatalog({
    catalog: { assets, profiles },
    source: { kind: "files", files: { hco: "hco", facts: ["facts"], read } },
    environment: {},
    ownNamespace,
    hcoNamespace: "",
    activation: "always",
    now: 0,
  });
  return explainPreview("swap-enable", preview, { kind: "none", notAsked: "a test" }, 0);
}

function annotationsIn(advice: string): Annotations {
  return Object.fromEntries(
    [...advice.matchAll(/ (platform\.kubevirt\.io\/\S+)=(\S+)/gu)].map(([, key, value]) => [key, value]),
  );
}

test("following explain's advice applies an asset that a plan governs", async () => {
  const governed: Cluster = { hco: hcoWith({}), plan: planWith("Apply"), record: emptyRecord };
  const first = await explain(governed);
  expect(first.reason).toContain(`GovernedByPlan: VirtPlatformConfig ${profile}`);
  const [advice = ""] = first.advice;
  expect(advice).toContain(`set action Ignore on VirtPlatformConfig ${profile}`);
  const ignored: Cluster = { ...governed, plan: planWith("Ignore"), record: recordAfter(governed) };
  expect((await explain(ignored)).reason).toContain("ReleasedByPlan");
  const asked: Cluster = { ...ignored, record: recordAfter(ignored), hco: hcoWith(annotationsIn(advice)) };
  expect(await explain(asked)).toMatchObject({ status: "INCLUDED" });
});
