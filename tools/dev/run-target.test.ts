import { expect, test } from "vitest";
import { chooseRunTarget, type RunChoice } from "./run-target.ts";

const dev = { kubeconfig: "/dev/kubeconfig", server: "https://127.0.0.1:40001" };
const production = { context: "production", server: "https://production.example" };
const nothing: RunChoice = { kubeconfigs: ["/home/ann/.kube/config"], context: "", isConfirmed: false };

const used = [
  {
    when: "the current context is the dev cluster's",
    choice: { ...nothing, dev, current: { ...dev, context: "virt-dev" } },
  },
  { when: "the user confirms another cluster", choice: { ...nothing, dev, current: production, isConfirmed: true } },
];

test.each(used)("runs against the current context if $when", ({ choice }) => {
  expect(chooseRunTarget(choice)).toEqual({ kind: "use", kubeconfigs: nothing.kubeconfigs });
});

test("runs against the context that the user names", () => {
  const choice = { ...nothing, dev, current: production, context: "staging" };
  expect(chooseRunTarget(choice)).toEqual({ kind: "use", kubeconfigs: nothing.kubeconfigs, context: "staging" });
});

const byRecord = [
  { when: "kubectl has no cluster", choice: { ...nothing, dev } },
  { when: "the user names virt-dev", choice: { ...nothing, dev, current: production, context: "virt-dev" } },
];

test.each(byRecord)("runs against the dev cluster if $when", ({ choice }) => {
  expect(chooseRunTarget(choice)).toEqual({ kind: "use", kubeconfigs: [dev.kubeconfig] });
});

test.each([{ dev }, {}])("refuses any other current context and names it", (known) => {
  const target = chooseRunTarget({ ...nothing, ...known, current: production });
  expect(target).toMatchObject({ kind: "refused", message: expect.stringContaining('"production"') as string });
  expect(target).toMatchObject({ message: expect.stringContaining("make run CONTEXT=production") as string });
});

test("refuses to run without any cluster", () => {
  expect(chooseRunTarget(nothing)).toMatchObject({ kind: "refused" });
});
