import { at, parseJson } from "@virt/objects";
import { expect, test } from "vitest";
import { now } from "../support/full-cluster.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { check, kubelet } = objectPaths;
const prefix = "platform.kubevirt.io/";
const platform = sharePlatform();

const warnings = (reason: string, from = 0) =>
  platform.operator.log
    .slice(from)
    .flatMap((line) => (line["reason"] === reason && line.level === "warn" ? [line.msg ?? ""] : []));
const drifts = () => warnings("DriftDetected").filter((text) => text.includes("NodeHealthCheck")).length;
const minHealthy = () => platform.specOf(check, "minHealthy");
const invalid = async () =>
  (await platform.outputs.series('invalid_override{kind="NodeHealthCheck"')).map(
    (line) => /type="(\w+)"/.exec(line)?.[1],
  );

const mistakes = [
  {
    key: "ignore-feilds",
    value: "/spec/minHealthy",
    reason: "UnknownAnnotation",
    says: `did you mean ${prefix}ignore-fields?`,
    type: "annotation",
  },
  {
    key: "virt-platform-operator",
    value: "false",
    reason: "UnknownAnnotation",
    says: "only on the HyperConverged",
    type: "annotation",
  },
  { key: "mode", value: "Unmanaged", reason: "InvalidMode", says: "did you mean unmanaged?", type: "mode" },
  { key: "mode", value: "unmanged", reason: "InvalidMode", says: "did you mean unmanaged?", type: "mode" },
  {
    key: "reconcile-paused",
    value: "True",
    reason: "InvalidConfiguration",
    says: "did you mean true?",
    type: "annotation",
  },
  { key: "adopt", value: "yes", reason: "InvalidConfiguration", says: "did you mean true?", type: "annotation" },
  {
    key: "ignore-fields",
    value: "/spec/minHealhty",
    reason: "InvalidIgnoreFields",
    says: "did you mean /spec/minHealthy?",
    type: "ignore",
  },
  {
    key: "ignore-fields",
    value: "spec/type",
    reason: "InvalidIgnoreFields",
    says: "must start with /: spec/type",
    type: "ignore",
  },
];

test.for(mistakes)("$key=$value blocks the object and explains the mistake", async (mistake) => {
  const { key, value, reason, says, type } = mistake;
  const driftsBefore = drifts();
  const from = now();
  const said = platform.operator.log.length;
  const annotations = { [`${prefix}${key}`]: value };
  // Uses a new field manager each time, to avoid an edit war.
  await platform.edit(
    check,
    { metadata: { annotations }, spec: { minHealthy: "10%" } },
    `person-${key}-${value.length}`,
  );
  await expect.poll(() => warnings(reason, said).filter((text) => text.includes(says))).not.toEqual([]);
  const reports = warnings(reason, said).find((text) => text.includes(says));
  expect(reports).toContain("NodeHealthCheck virt-node-health-check");
  expect(reports).toContain("left unchanged");
  await platform.untilCorrected(kubelet);
  expect(await minHealthy()).toBe("10%");
  expect(platform.requests(check, from)).toEqual([]);
  await expect.poll(drifts).toBe(driftsBefore + 1);
  await expect.poll(invalid).toEqual([type]);

  await platform.annotate(check, { [key]: null });
  await platform.until(async () => expect(await minHealthy()).toBe("51%"));
  await expect.poll(invalid).toEqual([]);
});

test("a pointer to a released field that is gone blocks nothing", async () => {
  const pointer = "/spec/stormCooldownDuration";
  await platform.annotate(check, { "ignore-fields": pointer });
  await platform.until(async () => {
    const { metadata } = await platform.read(check);
    expect(at(parseJson(metadata.annotations?.[`${prefix}state`] ?? ""), "released")).toEqual([pointer]);
  });
  await platform.edit(check, { spec: { stormCooldownDuration: null } }, "person");
  await platform.edit(check, { spec: { minHealthy: "10%" } }, "somebody-else");
  await platform.until(async () => expect(await minHealthy()).toBe("51%"));
  expect(await invalid()).toEqual([]);
});

test("ignores a switch that is not a boolean and suggests a value", async () => {
  const reports = () => warnings("InvalidConfiguration").filter((text) => text.includes("enable-node-health-check"));
  await platform.annotate(hcoPath, { "enable-node-health-check": "False" });
  await expect.poll(reports).toHaveLength(1);
  expect(reports()[0]).toContain('must be true or false, not "False"; did you mean false?');
  await platform.annotate(hcoPath, { "enable-node-health-check": null });
});

test.for([
  ["yes", "did you mean true?"],
  ["swap-enabel", "did you mean swap-enable?"],
])("reports virt-platform-operator=%s with the valid values and a suggestion", async ([value, says]) => {
  const reports = () => warnings("UnknownAssetName").filter((text) => text.includes(`"${value}"`));
  await platform.annotate(hcoPath, { "virt-platform-operator": value ?? "" });
  await expect.poll(reports).toHaveLength(1);
  expect(reports()[0]).toContain("use true, false or asset names");
  expect(reports()[0]).toContain(says);
  await platform.annotate(hcoPath, { "virt-platform-operator": null });
});
