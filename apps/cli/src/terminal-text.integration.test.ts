// Runs every verb in every format against objects whose texts try to control the terminal, on a real API server.

import { findAccess } from "@virt/kube";
import { type ApiRequest, inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostileObjects, hostileProfile } from "../../../test/console/hostile-objects.ts";
import { readArguments } from "./arguments.ts";
import { ClusterSession } from "./cluster-session.ts";
import { describeThrown } from "./failure-text.ts";
import { type OutputFormat, Printer } from "./printer.ts";
import { verbs } from "./verbs.ts";

const ranges = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
] as const;
const characters = ranges.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
);
const others = ["\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\uFEFF", "\u{E0001}"];
const signs = [...characters, ...others];
const attack = `[\u009B31m\u202E\u007F${signs.join("")}]`;
/** A string with a few control characters, short enough for any status field. Consecutive numbers cover all of them. */
const shortAttack = (number: number) =>
  [...Array(8).keys()].map((at) => signs[(number * 8 + at) % signs.length]).join("");
/** Characters that no output may contain. Line feeds and our colors are removed before the search. */
const forbidden = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu;
const ownColours = new RegExp(`${String.fromCodePoint(0x1b)}\\[(?:0|1|2|31|32|33)m`, "gu");

let server: Server;

beforeAll(async () => {
  server = await startServer();
  const mocks = [
    "hyperconvergeds-v1beta1",
    "machineconfigpools",
    "kubedeschedulers-v532",
    "kubeletconfigs",
    "machineconfigs",
  ];
  await server.installCrds([
    inRepository("config", "crd", "bases", "advisor.kubevirt.io_virtplatformconfigs.yaml"),
    ...mocks.map((file) => inRepository("config", "crd", "mocks", `${file}.yaml`)),
  ]);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "openshift-cnv" } };
  const annotations = Object.fromEntries(
    ["disabled-resources", "enable-aaq", "feature-gates", "pci-passthrough-devices", "foo"].map((key) => [
      `platform.kubevirt.io/${key}`,
      attack,
    ]),
  );
  const metadata = { name: "kubevirt-hyperconverged", namespace: "openshift-cnv", annotations };
  const hco = { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata, spec: {} };
  const hcos = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds";
  const requests: readonly ApiRequest[] = [
    { method: "POST", path: "/api/v1/namespaces", body: namespace },
    { method: "POST", path: hcos, body: hco },
    ...hostileObjects(shortAttack).requests,
  ];
  for (const request of requests) {
    const { status, body } = await server.request(request);
    if (status >= 300) throw new Error(JSON.stringify(body));
  }
});
afterAll(() => server.stop());

const words: Readonly<Record<string, readonly string[]>> = {
  explain: ["swap-enable"],
  completion: ["bash"],
  reject: [hostileProfile, "--reason", attack],
  assets: ["-n", "default"],
  plan: [hostileProfile, "--timeout", "0s"],
  console: ["--port", "0"],
};
/** `ignore` changes the config, so it runs last. */
const order = [...verbs].toSorted((left, right) => Number(left.name === "ignore") - Number(right.name === "ignore"));
const formats: readonly OutputFormat[] = ["table", "wide", "json", "yaml", "jsonpath", "markdown"];
const everything = "{@}{.items[*]}";

async function outputOf(args: readonly string[], format: OutputFormat): Promise<string> {
  const read = readArguments(args, "kubectl virt-advisor");
  if (read.kind === "help") return "";
  let text = "";
  const stop = new AbortController();
  const access = () => findAccess({ env: {}, kubeconfig: server.kubeconfig });
  const session = new ClusterSession({ access: access(), version: "v0", requestMs: undefined, signal: stop.signal });
  const add = (more: string) => {
    text += more;
    if (read.verb.isServer === true) stop.abort();
  };
  try {
    const run = await read.verb.load();
    await run({
      words: read.words,
      flag: (name) => read.values.get(name)?.at(-1),
      all: (name) => read.values.get(name) ?? [],
      isOn: (name) => read.values.has(name),
      printer: new Printer({
        format,
        template: everything,
        isColored: true,
        columns: 100,
        writeData: add,
        writeProgress: add,
      }),
      session: () => session,
      access,
      signal: stop.signal,
      now: () => Date.now(),
      version: "v0",
      program: "kubectl virt-advisor",
      ask: () => Promise.resolve(undefined),
      readFile: () => "",
      environment: {},
    });
  } catch (error) {
    text += describeThrown(error, { isDebug: true, version: "v0" });
  } finally {
    session.close();
  }
  return text;
}

test.each(order.map(({ name }) => name))(
  "%s prints no control or bidi character from the cluster in any format",
  async (name) => {
    const { takes, lists } = verbs.find((verb) => verb.name === name) ?? {};
    const args = [name, ...(words[name] ?? (takes?.includes("NAME") === true ? [hostileProfile] : []))];
    for (const format of lists === undefined ? formats : [...formats, "name" as const]) {
      const text = await outputOf(args, format);
      expect(text).not.toMatch(format === "name" ? /unexpected error/u : /^$|unexpected error/u); // nothing has drifted
      expect([...text.replaceAll(ownColours, "").matchAll(forbidden)].map(([sign]) => escape(sign))).toEqual([]);
    }
  },
);

test("prints control characters as visible escapes", async () => {
  expect(await outputOf(["render"], "json")).toContain("\\u009b");
  expect(await outputOf(["render"], "table")).toContain("\\u{9b}");
});

function escape(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16)}`;
}
