import { vmInformer } from "@virt/cluster";
import type { ApiReader, Resource } from "@virt/kube";
import { expect, test } from "vitest";
import { assessList } from "./impact-facts.ts";
import { listOnce } from "./informer-lists.ts";

const resource: Resource = {
  group: "kubevirt.io",
  version: "v1",
  plural: "virtualmachineinstances",
  isNamespaced: true,
};
const discovery = { find: () => Promise.resolve({ kind: "served", resource } as const) };

async function listPages(pages: number) {
  let sent = 0;
  const send = () => {
    sent += 1;
    const metadata = sent < pages ? { continue: String(sent) } : {};
    const body = { kind: "List", metadata, items: [{ metadata: { name: `vm-${sent}` } }] };
    return Promise.resolve({ kind: "answered", status: 200, body, text: "" });
  };
  const { signal } = new AbortController();
  const answer = await listOnce(vmInformer, { client: { send } as unknown as ApiReader, discovery, signal });
  return { answer, sent };
}

test("lists all pages", async () => {
  const { answer } = await listPages(3);
  expect(answer.kind === "listed" ? answer.items.map(({ metadata }) => metadata.name) : []).toEqual([
    "vm-1",
    "vm-2",
    "vm-3",
  ]);
});

test("requests fewer objects after a page that is too large, down to one", async () => {
  const limits: string[] = [];
  const send = ({ path }: { readonly path: string }) => {
    const limit = /limit=(\d+)/.exec(path)?.[1] ?? "";
    limits.push(limit);
    const failure = { reason: "too large", message: "" };
    if (Number(limit) > 7) return Promise.resolve({ kind: "failed", failure });
    return Promise.resolve({
      kind: "answered",
      status: 200,
      body: { kind: "List", metadata: {}, items: [] },
      text: "",
    });
  };
  const { signal } = new AbortController();
  const answer = await listOnce(vmInformer, { client: { send } as unknown as ApiReader, discovery, signal });
  expect([answer.kind, limits]).toEqual(["listed", ["500", "62", "7"]]);
});

test("gives up an endless list and reports it as too many", async () => {
  const { answer, sent } = await listPages(Number.POSITIVE_INFINITY);
  expect(sent).toBe(200);
  expect(assessList(answer)).toEqual({
    isAssessed: false,
    reason: "TooMany",
    message: "cannot list VirtualMachineInstance: the list does not end after 200 pages of 500 objects",
  });
});

test("an answer that is not a list is a failure", async () => {
  const send = () => Promise.resolve({ kind: "answered", status: 200, body: undefined, text: "<html>" });
  const { signal } = new AbortController();
  const answer = await listOnce(vmInformer, { client: { send } as unknown as ApiReader, discovery, signal });
  expect(answer).toEqual({
    kind: "failed",
    message: "cannot list VirtualMachineInstance: the response is not a list",
    reason: "Unavailable",
  });
});
