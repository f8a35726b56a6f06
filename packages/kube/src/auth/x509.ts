// Issues X.509 certificates for a CA, servers, and clients. Node can read certificates but not create them.

import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";

/** A certificate and its private key (PKCS#8), both in PEM. */
export type IssuedCertificate = { readonly certificate: string; readonly key: string };

/** A CA certificate with its key. `commonName` becomes the issuer of the certificates it signs. */
export type Authority = IssuedCertificate & { readonly commonName: string };

/** The period in which a certificate is valid, in whole seconds. Milliseconds are cut off. */
export type Validity = { readonly from: Date; readonly until: Date };

/** Returns a new self-signed CA with a new P-256 key. */
export function issueAuthority(commonName: string, validity: Validity): Authority {
  const { publicKey, privateKey } = freshKey();
  const extensions = [
    extension("2.5.29.19", derSequence(derBoolean(true)), "critical"), // basicConstraints: CA
    extension("2.5.29.15", derBitString(Buffer.from([0b0000_0110]), 1), "critical"), // keyUsage: keyCertSign, cRLSign
  ];
  const body = { issuer: name(commonName), subject: name(commonName), validity, publicKey, extensions };
  return { commonName, certificate: signed(body, privateKey), key: privateKey };
}

/**
 * Returns a server certificate with a new key. `hosts` are DNS names and IP addresses; the first one becomes the common
 * name. Throws for an IPv6 address that contains an IPv4 address or a zone.
 */
export function issueServer(authority: Authority, hosts: readonly string[], validity: Validity): IssuedCertificate {
  const alternatives = extension("2.5.29.17", derSequence(...hosts.map(hostName)));
  return issueLeaf(authority, { subject: name(hosts[0] ?? "server"), validity }, [
    usage("1.3.6.1.5.5.7.3.1"),
    alternatives,
  ]);
}

/**
 * Returns a client certificate with a new key. Kubernetes takes the common name as the user name and the organizations
 * as the groups.
 */
export function issueClient(
  authority: Authority,
  user: string,
  groups: readonly string[],
  validity: Validity,
): IssuedCertificate {
  return issueLeaf(authority, { subject: name(user, groups), validity }, [usage("1.3.6.1.5.5.7.3.2")]);
}

type Leaf = { readonly subject: Buffer; readonly validity: Validity };

function issueLeaf(authority: Authority, leaf: Leaf, extensions: readonly Buffer[]): IssuedCertificate {
  const { publicKey, privateKey } = freshKey();
  const body = { ...leaf, issuer: name(authority.commonName), publicKey, extensions };
  return { certificate: signed(body, authority.key), key: privateKey };
}

function freshKey(): { publicKey: Buffer; privateKey: string } {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { publicKey: pair.publicKey.export({ type: "spki", format: "der" }), privateKey };
}

type Body = Leaf & { readonly issuer: Buffer; readonly publicKey: Buffer; readonly extensions: readonly Buffer[] };

const ecdsaWithSha256 = derSequence(derObjectIdentifier("1.2.840.10045.4.3.2"));
const version3 = derTagged(0, derInteger(Buffer.from([2])));

function signed(body: Body, signingKey: string): string {
  const toBeSigned = derSequence(
    version3,
    derInteger(randomBytes(16)),
    ecdsaWithSha256,
    body.issuer,
    derSequence(derTime(body.validity.from), derTime(body.validity.until)),
    body.subject,
    body.publicKey,
    derTagged(3, derSequence(...body.extensions)),
  );
  const signature = sign("sha256", toBeSigned, createPrivateKey(signingKey));
  return pem(derSequence(toBeSigned, ecdsaWithSha256, derBitString(signature)));
}

function name(commonName: string, organizations: readonly string[] = []): Buffer {
  const part = (oid: string, text: string) => derSet(derSequence(derObjectIdentifier(oid), derUtf8String(text)));
  return derSequence(...organizations.map((text) => part("2.5.4.10", text)), part("2.5.4.3", commonName));
}

function extension(oid: string, value: Buffer, weight: "critical" | "plain" = "plain"): Buffer {
  const critical = weight === "critical" ? [derBoolean(true)] : [];
  return derSequence(derObjectIdentifier(oid), ...critical, derOctetString(value));
}

function usage(purpose: string): Buffer {
  return extension("2.5.29.37", derSequence(derObjectIdentifier(purpose)));
}

function hostName(host: string): Buffer {
  if (isIPv4(host)) return derTagged(7, Buffer.from(host.split(".").map(Number)), "implicit");
  if (isIPv6(host)) return derTagged(7, ipv6Bytes(host), "implicit");
  return derTagged(2, Buffer.from(host, "ascii"), "implicit");
}

function ipv6Bytes(address: string): Buffer {
  if (/[.%]/.test(address)) throw new Error(unsupportedAddress(address));
  const [head = "", tail] = address.split("::");
  const words = (text: string) =>
    text
      .split(":")
      .filter((word) => word !== "")
      .map((word) => Number.parseInt(word, 16));
  const left = words(head);
  const right = words(tail ?? "");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  const bytes = Buffer.from([...left, ...zeros, ...right].flatMap((word) => [word >> 8, word & 0xff]));
  if (bytes.subarray(0, ipv4Mapped.length).equals(ipv4Mapped)) throw new Error(unsupportedAddress(address));
  return bytes;
}

/** The prefix ::ffff:0:0/96. Clients compare such an address as an IPv4 address. */
const ipv4Mapped = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

function unsupportedAddress(address: string): string {
  const problem = address.includes("%") ? "it has a zone" : "it contains an IPv4 address";
  const next = address.includes("%") ? "Use the address without its zone" : "Use the IPv4 address";
  return `cannot issue a certificate for the IPv6 address ${address}: ${problem}. ${next}.`;
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

// The subset of DER that X.509 certificates need.

function derSequence(...parts: readonly Buffer[]): Buffer {
  return derElement(0x30, ...parts);
}

function derSet(...parts: readonly Buffer[]): Buffer {
  return derElement(0x31, ...parts);
}

function derInteger(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  const isNegative = ((digits[0] ?? 0) & 0x80) !== 0;
  return derElement(0x02, ...(isNegative ? [Buffer.from([0]), digits] : [digits]));
}

function derBoolean(value: boolean): Buffer {
  return derElement(0x01, Buffer.from([value ? 0xff : 0]));
}

function derBitString(bytes: Buffer, unusedBits = 0): Buffer {
  return derElement(0x03, Buffer.from([unusedBits]), bytes);
}

function derOctetString(bytes: Buffer): Buffer {
  return derElement(0x04, bytes);
}

function derUtf8String(text: string): Buffer {
  return derElement(0x0c, Buffer.from(text, "utf8"));
}

function derObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return derElement(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** X.509 requires two-digit years up to 2049 and four-digit years after that. */
function derTime(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`;
  return date.getUTCFullYear() < 2050
    ? derElement(0x17, Buffer.from(digits.slice(2)))
    : derElement(0x18, Buffer.from(digits));
}

function derTagged(tag: number, content: Buffer, form: "explicit" | "implicit" = "explicit"): Buffer {
  return derElement((form === "explicit" ? 0xa0 : 0x80) | tag, content);
}

function derElement(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), derLength(content.length), content]);
}

function derLength(count: number): Buffer {
  if (count < 0x80) return Buffer.from([count]);
  const bytes: number[] = [];
  for (let rest = count; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}
