import type { ApiReader, ApiRequest } from "@virt/kube";
import type { StreamLine } from "@virt/views";
import { expect, test } from "vitest";
import { followKind } from "./follow-kind.ts";

async function firstLine(reports: Readonly<Record<string, number>>): Promise<StreamLine> {
  const stop = new AbortController();
  const send = ({ path }: ApiRequest) => {
    const [, namespace = ""] = /namespaces\/([^/]+)\//.exec(path) ?? [];
    const count = reports[namespace];
    const items = Array.from({ length: count ?? 0 }, () => ({ metadata: { name: "report", namespace } }));
    const body = { kind: "ConfigMapList", apiVersion: "v1", metadata: {}, items };
    return Promise.resolve({ kind: "answered", status: count === undefined ? 403 : 200, body, text: "" });
  };
  const stream = () => Promise.resolve({ kind: "answered", status: 403, body: {}, text: "" });
  return new Promise((resolve, reject) => {
    const sender = { send, stream } as unknown as ApiReader;
    const settle = (line: StreamLine) => {
      stop.abort();
      resolve(line);
    };
    followKind("reports", { sender, signal: stop.signal, send: settle }).catch(reject);
  });
}

test.each([
  { reports: { "virt-operators-system": 1 }, found: ["virt-operators-system"] },
  { reports: { "virt-platform-operator-system": 0, "virt-operators-system": 1 }, found: ["virt-operators-system"] },
  { reports: { "virt-platform-operator-system": 1 }, found: ["virt-platform-operator-system"] },
  { reports: { "virt-platform-operator-system": 0, "virt-operators-system": 0 }, found: [] },
])("finds the report in either namespace without permission for all: $reports", async ({ reports, found }) => {
  const line = await firstLine(reports);
  expect(line.type === "list" ? line.objects.map(({ metadata }) => metadata.namespace) : line.type).toEqual(found);
});

test("reports a kind as forbidden if no namespace may be listed", async () => {
  expect(await firstLine({})).toMatchObject({ type: "forbidden", resource: "configmaps" });
});
