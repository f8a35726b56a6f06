import { X509Certificate } from "node:crypto";
import { connect, createServer, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { issueAuthority, issueClient, issueServer } from "./x509.ts";

const validity = { from: new Date("2020-01-01T00:00:00Z"), until: new Date("2120-01-01T00:00:00Z") };
const authority = issueAuthority("test authority", validity);

test("a server certificate covers DNS names, IPv4 and IPv6 addresses", () => {
  const hosts = ["api.example", "localhost", "127.0.0.1", "::1", "fd00:10::a:1"];
  const certificate = new X509Certificate(issueServer(authority, hosts, validity).certificate);
  expect(certificate.checkHost("api.example")).toBe("api.example");
  expect(certificate.checkHost("other.example")).toBeUndefined();
  for (const address of ["127.0.0.1", "::1", "fd00:10::a:1"]) expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.checkIP("127.0.0.2")).toBeUndefined();
});

test.each([
  ["::ffff:10.0.0.1", "it contains an IPv4 address. Use the IPv4 address."],
  ["::ffff:a00:1", "it contains an IPv4 address. Use the IPv4 address."],
  ["0:0:0:0:0:FFFF:0a00:0001", "it contains an IPv4 address. Use the IPv4 address."],
  ["64:ff9b::10.0.0.1", "it contains an IPv4 address. Use the IPv4 address."],
  ["fe80::1%eth0", "it has a zone. Use the address without its zone."],
])("rejects the server address %s", (address, reason) => {
  expect(() => issueServer(authority, ["localhost", address], validity)).toThrow(
    `cannot issue a certificate for the IPv6 address ${address}: ${reason}`,
  );
});

test("only its own CA verifies a certificate", () => {
  const other = new X509Certificate(issueAuthority("test authority", validity).certificate);
  const signer = new X509Certificate(authority.certificate);
  for (const { certificate } of [authority, issueClient(authority, "ann", [], validity)]) {
    expect(new X509Certificate(certificate).verify(signer.publicKey)).toBe(true);
    expect(new X509Certificate(certificate).verify(other.publicKey)).toBe(false);
  }
  expect(signer.ca).toBe(true);
});

test("a certificate is valid between its dates, before and after 2050", () => {
  const certificate = new X509Certificate(authority.certificate);
  expect(certificate.validFromDate).toEqual(validity.from);
  expect(certificate.validToDate).toEqual(validity.until);
});

test("mutual TLS works, and the server gets the user and groups", async () => {
  const server = { ...issueServer(authority, ["localhost"], validity), ca: authority.certificate };
  const client = issueClient(authority, "ann", ["admins", "testers"], validity);
  const seen = Promise.withResolvers<TLSSocket>();
  const listener = createServer(
    { cert: server.certificate, key: server.key, ca: server.ca, requestCert: true },
    seen.resolve,
  );
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const to = { host: "127.0.0.1", port: address.port, servername: "localhost" };
  const socket = connect({ ...to, ca: authority.certificate, cert: client.certificate, key: client.key });

  const peer = (await seen.promise).getPeerCertificate();
  expect(peer.subject).toMatchObject({ CN: "ann", O: ["admins", "testers"] });
  expect((await seen.promise).authorized).toBe(true);
  socket.destroy();
  listener.close();
});
