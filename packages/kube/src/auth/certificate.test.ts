import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSelfSignedCertificate, watchMountedCertificate } from "./certificate.ts";
import { issueAuthority, issueServer } from "./x509.ts";

const validity = { from: new Date(0), until: new Date(4e12) };
const authority = issueAuthority("ours", validity);
const issue = (host: string) => issueServer(authority, [host], validity);
const hostsOf = (cert: string | undefined) => new X509Certificate(cert ?? "").subjectAltName;

function begin() {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const reported: string[] = [];
  const observer = { renewed: () => reported.push("renewed"), unusable: (message: string) => reported.push(message) };
  const write = (where: string, { certificate, key }: ReturnType<typeof issue>) => {
    mkdirSync(where, { recursive: true });
    writeFileSync(join(where, "tls.crt"), certificate);
    writeFileSync(join(where, "tls.key"), key);
  };
  return { folder, reported, observer, write };
}

test("a self-signed certificate is valid now, covers localhost and is never renewed", () => {
  const { current, renewed } = createSelfSignedCertificate(Date.now());
  const parsed = new X509Certificate(current.cert);
  expect(parsed.validFromDate.getTime()).toBeLessThan(Date.now());
  expect(parsed.validToDate.getTime()).toBeGreaterThan(Date.now() + 365 * 86_400_000);
  expect(parsed.subjectAltName).toContain("DNS:localhost, IP Address:127.0.0.1");
  expect(renewed()).toBeUndefined();
});

test("renews a mounted certificate once when the kubelet swaps its folder", () => {
  const { folder, reported, observer, write } = begin();
  const mount = (revision: string) => {
    symlinkSync(revision, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  write(join(folder, "..1"), issue("one"));
  mount("..1");
  for (const file of ["tls.crt", "tls.key"]) symlinkSync(join("..data", file), join(folder, file));
  const mounted = watchMountedCertificate(folder, observer, Date.now());
  if (typeof mounted === "string") throw new Error(mounted);
  expect(hostsOf(mounted.current.cert)).toBe("DNS:one");
  expect(mounted.renewed()).toBeUndefined();
  write(join(folder, "..2"), issue("two"));
  mount("..2");
  expect(hostsOf(mounted.renewed()?.cert)).toBe("DNS:two");
  expect(mounted.renewed()).toBeUndefined();
  expect(reported).toEqual(["renewed"]);
});

test("keeps the old certificate until certificate and key match", () => {
  const { folder, reported, observer, write } = begin();
  write(folder, issue("one"));
  const mounted = watchMountedCertificate(folder, observer, Date.now());
  if (typeof mounted === "string") throw new Error(mounted);
  const two = issue("two");
  writeFileSync(join(folder, "tls.crt"), two.certificate);
  expect([mounted.renewed(), mounted.renewed()]).toEqual([undefined, undefined]);
  expect(reported).toEqual([expect.stringMatching(/^cannot use the certificate in .*: .*mismatch/)]);
  writeFileSync(join(folder, "tls.key"), two.key);
  expect(hostsOf(mounted.renewed()?.cert)).toBe("DNS:two");
  unlinkSync(join(folder, "tls.key"));
  expect(mounted.renewed()).toBeUndefined();
  expect(reported).toHaveLength(3);
});

test("rejects a folder without usable files in one line", () => {
  const { folder, observer } = begin();
  const absent = join(folder, "absent");
  expect(watchMountedCertificate(absent, observer, Date.now())).toMatch(
    /^cannot use the certificate in .*: ENOENT.*tls\.crt/,
  );
  writeFileSync(join(folder, "tls.crt"), "rubbish");
  expect(watchMountedCertificate(folder, observer, Date.now())).toMatch(
    /^cannot use the certificate in .*: ENOENT.*tls\.key/,
  );
  writeFileSync(join(folder, "tls.key"), "rubbish");
  expect(watchMountedCertificate(folder, observer, Date.now())).toMatch(/^cannot use the certificate in .*[^\n]$/);
});

test("serves a self-signed certificate until the mounted one appears", () => {
  const { folder, reported, observer, write } = begin();
  const mounted = watchMountedCertificate(folder, observer, Date.now());
  if (typeof mounted === "string") throw new Error(mounted);
  expect(hostsOf(mounted.current.cert)).toContain("DNS:localhost");
  expect(mounted.renewed()).toBeUndefined();
  write(folder, issue("one"));
  expect(hostsOf(mounted.renewed()?.cert)).toBe("DNS:one");
  expect(reported).toEqual([expect.stringMatching(/^no certificate in .* yet/), "renewed"]);
});
