import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inRepository } from "../repository.ts";
import { binaryNames, cacheFolder, readPinnedVersions } from "./binary-cache.ts";
import { findBinaries } from "./obtain-binaries.ts";
import { fetchPublished } from "./published-archive.ts";

/** No process listens here, and the system never assigns a port this low. */
const nowhere = "http://127.0.0.1:2/index.yaml";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "binaries-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function fakePrograms(folder: string, names: readonly string[] = binaryNames): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

test("pins the specified versions", () => {
  expect(readPinnedVersions()).toEqual({ kubernetes: "1.36.3", etcd: "3.6.8" });
});

test("KUBEBUILDER_ASSETS takes precedence", async () => {
  const folder = fakePrograms(emptyFolder());
  const found = await findBinaries({ ...process.env, KUBEBUILDER_ASSETS: folder });
  expect(found).toEqual({ kind: "found", folder, source: "KUBEBUILDER_ASSETS" });
});

test("reports the programs that KUBEBUILDER_ASSETS lacks", async () => {
  const folder = fakePrograms(emptyFolder(), ["kubectl"]);
  const find = findBinaries({ ...process.env, KUBEBUILDER_ASSETS: folder });
  await expect(find).rejects.toThrow("has no kube-apiserver, no etcd; correct it or unset it");
});

test("without Go, finds a complete cached build of the pinned sources", async () => {
  const env = { XDG_CACHE_HOME: emptyFolder(), PATH: "" };
  fakePrograms(join(cacheFolder(env), ".building-x"));
  fakePrograms(join(cacheFolder(env), "go1.26.1"), ["etcd"]);
  expect((await findBinaries(env)).kind).toBe("absent");
  const folder = fakePrograms(join(cacheFolder(env), "go1.26.2"));
  expect(await findBinaries(env)).toEqual({ kind: "found", folder, source: "cache" });
});

test("with Go, finds only the build of that Go version", async () => {
  const env = { ...process.env, XDG_CACHE_HOME: emptyFolder(), KUBEBUILDER_ASSETS: "" };
  fakePrograms(join(cacheFolder(env), "go0.0.1"));
  expect((await findBinaries(env)).kind).toBe("absent");
});

async function publisher(change: { readonly hash?: string; readonly version?: string } = {}): Promise<string> {
  const folder = emptyFolder();
  fakePrograms(join(folder, "controller-tools", "envtest"));
  const archive = spawnSync("tar", ["-czf", "-", "-C", folder, "controller-tools"]).stdout;
  const { version = "1.36.3", hash = createHash("sha512").update(archive).digest("hex") } = change;
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const file = `envtest-v${version}-${process.platform}-${architecture}.tar.gz`;
  const server = createServer((request, response) => {
    const selfLink = `http://${request.headers.host}/archive`;
    const index = JSON.stringify({ releases: { [`v${version}`]: { [file]: { hash, selfLink } } } });
    response.end(request.url === "/archive" ? archive : index);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.yaml`;
}

const fetchFrom = (index: string, place: string) =>
  fetchPublished({ index, version: "1.36.3", cacheDir: place, report: () => undefined });

test("unpacks a published archive with the right checksum", async () => {
  const env = { XDG_CACHE_HOME: emptyFolder(), PATH: "" };
  const folder = join(cacheFolder(env), "published");
  expect(await fetchFrom(await publisher(), cacheFolder(env))).toEqual({ folder });
  expect(readdirSync(cacheFolder(env))).toEqual(["published"]);
  expect(await findBinaries(env)).toEqual({ kind: "found", folder, source: "cache" });
});

test("rejects an archive with another checksum and leaves nothing", async () => {
  const place = join(emptyFolder(), "cacheDir");
  const answer = await fetchFrom(await publisher({ hash: "0".repeat(128) }), place);
  expect(answer).toEqual({ failed: expect.stringContaining("another checksum than the index says; it was not used") });
  expect(existsSync(place)).toBe(false);
});

test("distinguishes an unpublished version from an unreachable publisher", async () => {
  const place = emptyFolder();
  expect(await fetchFrom(await publisher({ version: "1.36.2" }), place)).toEqual({
    failed: expect.stringContaining("is not published"),
  });
  expect(await fetchFrom(nowhere, place)).toEqual({ failed: expect.stringContaining("not reachable") });
});

test("without Go and network, lists the attempts and remedies in one message", () => {
  const env = { HOME: emptyFolder(), PATH: "", CONTROLPLANE_INDEX: nowhere };
  const main = inRepository("tools", "controlplane", "main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], { env, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stdout).toBe("");
  const message = stderr.slice(stderr.indexOf("make: "));
  expect(message.replace(/nothing in .*/, "nothing in (cache)").replace(/127.0.0.1:\d+/, "127.0.0.1:(port)")).toBe(`\
make: cannot get a control plane (kube-apiserver 1.36.3, etcd 3.6.8, kubectl). Tried:
  - KUBEBUILDER_ASSETS: not set
  - cache: nothing in (cache)
  - published archive: not reachable (connect ECONNREFUSED 127.0.0.1:(port))
  - Go build: there is no go command
Do one of these, then run the same command again:
  - install Go 1.26 or later (https://go.dev/dl) and be online once: it is built here in about four minutes, then cached
  - set KUBEBUILDER_ASSETS to a folder that holds kube-apiserver, etcd and kubectl
`);
});

test("without network, reports the output of Go", () => {
  const offline = { GOPROXY: "off", GOFLAGS: "-mod=mod", GOMODCACHE: emptyFolder(), GOCACHE: emptyFolder() };
  const env = {
    ...process.env,
    ...offline,
    XDG_CACHE_HOME: emptyFolder(),
    CONTROLPLANE_INDEX: nowhere,
    KUBEBUILDER_ASSETS: "",
  };
  const main = inRepository("tools", "controlplane", "main.ts");
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("- Go build: failed");
  expect(stderr).toContain("module lookup disabled by GOPROXY=off");
});
