import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findAccess } from "@virt/kube";
import { afterAll, expect, test } from "vitest";
import { enterContext, leaveContext } from "./user-context.ts";

const folder = mkdtempSync(join(tmpdir(), "user-context-"));
afterAll(() => rmSync(folder, { recursive: true }));

function configOf(name: string): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: ${name}
  cluster:
    server: https://${name}.example
users:
- name: ${name}
  user:
    token: ${name}
contexts:
- name: ${name}
  context:
    cluster: ${name}
    user: ${name}
current-context: ${name}
`;
}

function home(name: string, files: Readonly<Record<string, string>> = {}): (file: string) => string {
  const place = join(folder, name);
  mkdirSync(join(place, ".kube"), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text, { mode: 0o640 });
  return (file) => join(place, file);
}

const dev = home("dev", { cluster: configOf("simulated") })("cluster");

test("creates a kubeconfig that only its owner can read if the user has none", () => {
  const at = home("new");
  const env = { HOME: at("") };
  const { context, previous } = enterContext(dev, env);
  expect({ file: context.file, previous }).toEqual({ file: at(".kube/config"), previous: "" });
  expect(statSync(at(".kube/config")).mode & 0o777).toBe(0o600);
  expect(findAccess({ env })).toMatchObject({ server: "https://simulated.example", context: "virt-dev" });
});

test("keeps permissions, and restores the file", () => {
  const at = home("own", { ".kube/config": configOf("production") });
  const env = { HOME: at("") };
  const { context, previous } = enterContext(dev, env);
  expect(previous).toBe("production");
  expect(findAccess({ env }).context).toBe("virt-dev");
  expect(findAccess({ env, context: "production" }).server).toBe("https://production.example");
  expect(leaveContext(context)).toBe("production");
  expect(readFileSync(at(".kube/config"), "utf8")).toBe(configOf("production"));
  expect(statSync(at(".kube/config")).mode & 0o777).toBe(0o640);
  expect(readdirSync(at(".kube"))).toEqual(["config"]);
});

test("writes only to the first existing file of KUBECONFIG", () => {
  const at = home("list", { one: "users: []\n", two: configOf("production"), ".kube/config": configOf("unused") });
  const env = { HOME: at(""), KUBECONFIG: [at("missing"), at("one"), at("two")].join(":") };
  const { context, previous } = enterContext(dev, env);
  expect({ file: context.file, previous }).toEqual({ file: at("one"), previous: "production" });
  expect(findAccess({ env }).context).toBe("virt-dev");
  expect(existsSync(at("missing"))).toBe(false);
  expect(readFileSync(at("two"), "utf8")).toBe(configOf("production"));
  expect(readFileSync(at(".kube/config"), "utf8")).toBe(configOf("unused"));
  leaveContext(context);
  expect(findAccess({ env }).context).toBe("production");
});

test("writes through a link instead of replacing it", () => {
  const at = home("link", { real: configOf("production") });
  symlinkSync(at("real"), at(".kube/config"));
  enterContext(dev, { HOME: at("") });
  expect(lstatSync(at(".kube/config")).isSymbolicLink()).toBe(true);
  expect(readFileSync(at("real"), "utf8")).toContain("current-context: virt-dev");
});

const unwritable = [
  { why: "kubectl is writing it", files: { ".kube/config.lock": "" }, message: "config.lock exists" },
  { why: "it is not YAML", files: { ".kube/config": "{" }, message: "cannot edit" },
  { why: "virt-dev is the user's own", files: { ".kube/config": configOf("virt-dev") }, message: "did not create" },
];

test.each(unwritable)("fails and changes nothing if $why", ({ why, files, message }) => {
  const at = home(why.replaceAll(" ", "-"), { ".kube/config": configOf("production"), ...files });
  const before = readFileSync(at(".kube/config"), "utf8");
  expect(() => enterContext(dev, { HOME: at("") })).toThrow(message);
  expect(readFileSync(at(".kube/config"), "utf8")).toBe(before);
});
