import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { findEngine, neededEngine } from "./engine.ts";

type Case = {
  readonly reason: string;
  readonly commands: Readonly<Record<string, string>>;
  readonly wanted?: string;
  readonly found: object;
};

const works = "exit 0";
const isDown = "echo 'some words' >&2; echo 'is the daemon running?' >&2; exit 1";
const none = (why: string) => ({ kind: "none", why: `no container engine is available (${why})` });

const cases: readonly Case[] = [
  {
    reason: "podman is preferred",
    commands: { podman: works, docker: works },
    found: { kind: "found", command: "podman" },
  },
  {
    reason: "a command without an engine behind it does not count",
    commands: { podman: isDown, docker: works },
    found: { kind: "found", command: "docker" },
  },
  {
    reason: "the one that is asked for is taken",
    commands: { podman: works, docker: works },
    wanted: "docker",
    found: { kind: "found", command: "docker" },
  },
  {
    reason: "the one that is asked for is not replaced by another",
    commands: { podman: works, docker: isDown },
    wanted: "docker",
    found: none("docker: is the daemon running?"),
  },
  {
    reason: "what is wrong with each is reported",
    commands: { docker: isDown },
    found: none("podman: not installed; docker: is the daemon running?"),
  },
];

test.each(cases)("$reason", ({ commands, wanted, found }) => {
  installCommands(commands);
  expect(findEngine(wanted)).toEqual(found);
});

test("where none answers, the error names what to do, without an engine too", () => {
  installCommands({ podman: isDown });
  expect(() => neededEngine("")).toThrow(
    /^no container engine is available \(podman: is the daemon running\?; docker: not installed\)\..*CONTAINER_TOOL=.*make image writes dist\/image\.tar/s,
  );
});

function installCommands(commands: Readonly<Record<string, string>>): void {
  const folder = mkdtempSync(join(tmpdir(), "engines-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, script] of Object.entries(commands)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n[ "$1" = info ] || exit 9\n${script}\n`, { mode: 0o755 });
  }
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
}
