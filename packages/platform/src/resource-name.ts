// Names of resources that nodes offer beyond cpu and memory, such as nvidia.com/TU104GL_Tesla_T4.

import { isWithin } from "./hardware.ts";

const part = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?";
const domainShape = new RegExp(`^${part}(?:\\.${part})*$`);
const nameShape = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Qualified, and not of a domain that belongs to Kubernetes. */
export function isResourceName(text: string): boolean {
  const [domain = "", name = "", ...rest] = text.split("/");
  const isQualified = domain.length <= 253 && domainShape.test(domain) && nameShape.test(name) && rest.length === 0;
  return isQualified && !isWithin(domain, "kubernetes.io");
}
