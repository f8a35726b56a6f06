// Checks the Dockerfile without a container engine. running.test.ts covers the rest.

import { existsSync, readFileSync } from "node:fs";
import { inRepository } from "@virt/testkit";
import { expect, test } from "vitest";
import { nodeEnvironment, nodeFlags } from "../../../tools/bundling.ts";
import { readBaseImages } from "../../../tools/deploy/base-images.ts";

const dockerfile = readFileSync(inRepository("Dockerfile"), "utf8");
const final = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));

test("the build creates every file that the image copies", () => {
  const taken = [...final.matchAll(/\/tmp\/source\/(\S+)/g)].map(([, file = ""]) => file);
  expect(taken).toContain("dist/virt-operator.mjs");
  expect(taken.filter((file) => !existsSync(inRepository(file)))).toEqual([]);
});

test("starts without a shell, with the measured flags, and not as root", () => {
  const [, entry = ""] = /^ENTRYPOINT (.*)$/m.exec(final) ?? [];
  expect(JSON.parse(entry)).toEqual(["node", ...nodeFlags, "/opt/virt-operator/virt-operator.mjs"]);
  for (const [name, value] of Object.entries(nodeEnvironment)) expect(final).toContain(`\nENV ${name}=${value}\n`);
  expect(final).toMatch(/^USER [1-9]\d*$/m); // a number, because a kubelet cannot verify that a user name is not root
  expect(final).not.toMatch(/^(?:RUN|CMD)/m);
});

test("uses only the listed base images", () => {
  expect(Object.values(readBaseImages()).map(({ image }) => image)).toEqual([
    "registry.access.redhat.com/ubi9/nodejs-24",
    "registry.access.redhat.com/ubi9/nodejs-24-minimal",
  ]);
  expect([...dockerfile.matchAll(/^FROM (?:--\S+ )?(\S+)/gm)].map(([, base]) => base)).toEqual([
    "${BUILDER}",
    "${BASE}",
  ]);
});
