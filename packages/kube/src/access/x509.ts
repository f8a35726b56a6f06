// Issues X.509 certificates, which Node can read but not make: an authority, and servers and clients under it.

import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import * as der from "./der.ts";

/** A certificate and its private key, both in PEM. */
export type Credentials = { readonly certificate: string; readonly key: string };

/** Whoever signs: name and credentials of the authority. */
export type Authority = Credentials & { readonly commonName: string };

export type Validity = { readonly from: Date; readonly until: Date };

export function issueAuthority(commonName: string, validity: Validity): Authority {
  const { publicKey, privateKey } = freshKey();
  const extensions = [
    extension("2.5.29.19", der.sequence(der.boolean(true)), "critical"), // basicConstraints: an authority
    extension("2.5.29.15", der.bitString(Buffer.from([0b0000_0110]), 1), "critical"), // keyUsage: signs certificates and lists
  ];
  const body = { issuer: name(commonName), subject: name(commonName), validity, publicKey, extensions };
  return { commonName, certificate: signed(body, privateKey), key: privateKey };
}

/** `hosts` are the DNS names and IP addresses by which clients call the server. */
export function issueServer(authority: Authority, hosts: readonly string[], validity: Validity): Credentials {
  const alternatives = extension("2.5.29.17", der.sequence(...hosts.map(hostName)));
  return issueLeaf(authority, { subject: name(hosts[0] ?? "server"), validity }, [
    usage("1.3.6.1.5.5.7.3.1"),
    alternatives,
  ]);
}

/** Kubernetes reads the common name as the user and the organizations as the groups. */
export function issueClient(
  authority: Authority,
  user: string,
  groups: readonly string[],
  validity: Validity,
): Credentials {
  return issueLeaf(authority, { subject: name(user, groups), validity }, [usage("1.3.6.1.5.5.7.3.2")]);
}

type Leaf = { readonly subject: Buffer; readonly validity: Validity };

function issueLeaf(authority: Authority, leaf: Leaf, extensions: readonly Buffer[]): Credentials {
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

const ecdsaWithSha256 = der.sequence(der.objectIdentifier("1.2.840.10045.4.3.2"));
const version3 = der.tagged(0, der.integer(Buffer.from([2])));

function signed(body: Body, signingKey: string): string {
  const toBeSigned = der.sequence(
    version3,
    der.integer(randomBytes(16)),
    ecdsaWithSha256,
    body.issuer,
    der.sequence(der.time(body.validity.from), der.time(body.validity.until)),
    body.subject,
    body.publicKey,
    der.tagged(3, der.sequence(...body.extensions)),
  );
  const signature = sign("sha256", toBeSigned, createPrivateKey(signingKey));
  return pem(der.sequence(toBeSigned, ecdsaWithSha256, der.bitString(signature)));
}

function name(commonName: string, organizations: readonly string[] = []): Buffer {
  const part = (oid: string, text: string) => der.set(der.sequence(der.objectIdentifier(oid), der.utf8String(text)));
  return der.sequence(...organizations.map((text) => part("2.5.4.10", text)), part("2.5.4.3", commonName));
}

function extension(oid: string, value: Buffer, weight: "critical" | "plain" = "plain"): Buffer {
  const critical = weight === "critical" ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(oid), ...critical, der.octetString(value));
}

function usage(purpose: string): Buffer {
  return extension("2.5.29.37", der.sequence(der.objectIdentifier(purpose)));
}

function hostName(host: string): Buffer {
  if (isIPv4(host)) return der.tagged(7, Buffer.from(host.split(".").map(Number)), "implicit");
  if (isIPv6(host)) return der.tagged(7, ipv6Bytes(host), "implicit");
  return der.tagged(2, Buffer.from(host, "ascii"), "implicit");
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const words = (text: string) =>
    text
      .split(":")
      .filter((word) => word !== "")
      .map((word) => Number.parseInt(word, 16));
  const left = words(head);
  const right = words(tail ?? "");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return Buffer.from([...left, ...zeros, ...right].flatMap((word) => [word >> 8, word & 0xff]));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
