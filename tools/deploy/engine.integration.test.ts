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
    reason: "prefers podman",
    commands: { podman: works, docker: works },
    found: { kind: "found", command: "podman" },
  },
  {
    reason: "ignores a command without an engine",
    commands: { podman: isDown, docker: works },
    found: { kind: "found", command: "docker" },
  },
  {
    reason: "uses the requested engine",
    commands: { podman: works, docker: works },
    wanted: "docker",
    found: { kind: "found", command: "docker" },
  },
  {
    reason: "does not replace the requested engine",
    commands: { podman: works, docker: isDown },
    wanted: "docker",
    found: none("docker: is the daemon running?"),
  },
  {
    reason: "reports the problem of each engine",
    commands: { docker: isDown },
    found: none("podman: not installed; docker: is the daemon running?"),
  },
];

test.each(cases)("$reason", ({ commands, wanted, found }) => {
  installCommands(commands);
  expect(findEngine(wanted)).toEqual(found);
});

test("without an engine, the error names the remedies", () => {
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
