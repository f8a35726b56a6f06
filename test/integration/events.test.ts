// Events on a real API server: stored once, as a series when repeated, and not again after a restart.

import { Breakers, Client, type EventInput, EventRecorder, findAccess, noLease } from "@virt/kube";
import { type ApiUser, type Server, startServer, VirtualClock } from "@virt/testkit";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bindRole, createRole, untilGranted } from "./rights/rights-cluster.ts";

const patience = { timeout: 120_000 }; // a hang guard
const never = new AbortController().signal;
const role = "event-writer";

let server: Server;
let account: ApiUser;

beforeAll(async () => {
  server = await startServer();
  account = await server.serviceAccount("operator", "operator");
  const rules = [{ apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] }];
  await createRole(server, role, rules);
  await bindRole(server, "system:serviceaccount:operator:operator", role);
  await untilGranted(account, { resourceAttributes: { group: "events.k8s.io", resource: "events", verb: "patch" } });
});

afterAll(() => server.stop());

async function create(path: string, body: object): Promise<{ readonly metadata: { readonly uid: string } }> {
  const answer = await server.request({ method: "POST", path, body });
  expect(answer.status).toBe(201);
  return answer.body as { metadata: { uid: string } };
}

/** Starts one operator process. Its virtual clocks begin at the machine's time. */
function start() {
  const client = new Client({ access: findAccess({ env: {}, kubeconfig: account.kubeconfig }), userAgent: "test" });
  const clock = new VirtualClock(Date.now());
  const reports: string[] = [];
  const observer = {
    written: () => reports.push("written"),
    lost: (why: string, _: EventInput, message: string) => reports.push(`${why}: ${message}`),
  };
  const recorder = new EventRecorder({
    client: client.under(noLease),
    breakers: new Breakers({ clock, observer: { opened: () => undefined, closed: () => undefined } }),
    caller: "events",
    clock,
    reporter: { controller: "virt-platform-operator", instance: "pod-1", namePrefix: "virt-platform-operator." },
    observer,
    repeatMs: 60_000,
  });
  onTestFinished(() => client.close());
  return { recorder, clock, reports };
}

type Event = {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly note: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
};

async function eventsOf(namespace: string, reason: string): Promise<readonly Event[]> {
  const { body } = await server.request({ path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events` });
  const { items } = body as { readonly items: readonly (Event & { readonly reason: string })[] };
  return items.filter((event) => event.reason === reason);
}

async function configMap(name: string) {
  const path = "/api/v1/namespaces/operator/configmaps";
  const { metadata } = await create(path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  return { apiVersion: "v1", kind: "ConfigMap", name, namespace: "operator", uid: metadata.uid };
}

const about = (regarding: EventInput["regarding"], reason: string, note = "all is well"): EventInput => ({
  priority: "routine",
  regarding,
  type: "Normal",
  reason,
  action: `${reason} ${regarding.kind}/${regarding.name}`,
  note,
});

test("stores an event with all its fields, and kubectl describe shows it", async () => {
  const { recorder, reports } = start();
  const regarding = await configMap("described");
  const related = await configMap("related");
  const note = `ä${"x".repeat(2_000)}`;
  recorder.recordEvent({ ...about(regarding, "Described", note), related, type: "Warning" });
  await expect.poll(() => reports, patience).toEqual(["written"]);
  const [event, ...others] = await eventsOf("operator", "Described");
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    metadata: { name: expect.stringMatching(/^virt-platform-operator\.[0-9a-f]{16}$/) as string },
    eventTime: expect.stringMatching(/\.\d{6}Z$/) as string,
    regarding,
    related,
    type: "Warning",
    action: "Described ConfigMap/described",
    reportingController: "virt-platform-operator",
    reportingInstance: "pod-1",
  });
  expect(Buffer.byteLength(event?.note ?? "")).toBe(1_024);
  const { stdout } = await server.kubectl("describe", "configmap", "described", "--namespace=operator");
  expect(stdout).toContain("Described");
});

test("updates the series of a repeated event once a minute", async () => {
  const { recorder, clock, reports } = start();
  const announcement = about(await configMap("repeated"), "Repeated");
  for (let times = 0; times < 5; times++) recorder.recordEvent(announcement);
  await expect.poll(() => reports, patience).toEqual(["written"]);
  expect((await eventsOf("operator", "Repeated")).map(({ series }) => series)).toEqual([undefined]);
  await clock.advance(60_000);
  await expect.poll(() => reports, patience).toEqual(["written", "written"]);
  recorder.recordEvent(announcement);
  await clock.advance(60_000);
  await expect.poll(() => reports, patience).toHaveLength(3);
  const [event, ...others] = await eventsOf("operator", "Repeated");
  expect([event?.series?.count, others]).toEqual([6, []]);
  expect(event?.series?.lastObservedTime).toMatch(/\.\d{6}Z$/);
});

test("continues the series of a repeated event after a restart", async () => {
  const announcement = about(await configMap("restarted"), "Restarted");
  const before = start();
  before.recorder.recordEvent(announcement);
  before.recorder.recordEvent(announcement);
  await expect.poll(() => before.reports, patience).toEqual(["written"]);
  await before.clock.advance(60_000);
  await expect.poll(() => before.reports, patience).toEqual(["written", "written"]);
  const [known] = await eventsOf("operator", "Restarted");

  const after = start();
  after.recorder.recordEvent(announcement);
  after.recorder.recordEvent({ ...announcement, note: "said after the first was answered" });
  await expect.poll(() => after.reports, patience).toEqual(["written"]);
  expect(await eventsOf("operator", "Restarted")).toContainEqual(known);
  await after.clock.advance(60_000);
  after.recorder.recordEvent(announcement);
  await expect.poll(() => after.reports, patience).toEqual(["written", "written"]);
  const [event] = (await eventsOf("operator", "Restarted")).filter(({ note }) => note === "all is well");
  expect(event?.series?.count).toBe(3);
});

test("stores events about cluster-scoped objects in namespace default", async () => {
  const { recorder, reports } = start();
  const { metadata } = await create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "one" } });
  recorder.recordEvent(about({ apiVersion: "v1", kind: "Node", name: "one", uid: metadata.uid }, "OnNode"));
  await expect.poll(() => reports, patience).toEqual(["written"]);
  expect(await eventsOf("default", "OnNode")).toHaveLength(1);
});

test("re-creates an event that has expired", async () => {
  const { recorder, clock, reports } = start();
  const announcement = about(await configMap("expired"), "Expired");
  recorder.recordEvent(announcement);
  await expect.poll(() => reports, patience).toEqual(["written"]);
  const [{ metadata } = { metadata: { name: "", namespace: "" } }] = await eventsOf("operator", "Expired");
  const path = `/apis/events.k8s.io/v1/namespaces/operator/events/${metadata.name}`;
  await server.request({ method: "DELETE", path });
  await clock.advance(3_600_000);
  recorder.recordEvent(announcement);
  await expect.poll(() => reports, patience).toEqual(["written", "written"]);
  expect((await eventsOf("operator", "Expired")).map(({ series }) => series)).toEqual([undefined]);
});

test("drops and reports an event that the API server refuses", async () => {
  const { recorder, reports } = start();
  const regarding = { apiVersion: "v1", kind: "ConfigMap", name: "any", namespace: "no-such-namespace" };
  recorder.recordEvent(about(regarding, "Refused"));
  await expect.poll(() => reports, patience).toEqual(["refused: its namespace does not exist"]);
  await recorder.stop(never);
});
