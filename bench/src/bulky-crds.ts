// Creates CRDs as large as the largest in real clusters.

import type { Crd, Server } from "@virt/testkit";
import { inParallel } from "./config-maps.ts";

const sections = 20;
const fieldsEach = 40;
/** Long enough to make each CRD about 200 kB. */
const description = "What this field is for, and what happens to those who set it. ".repeat(3).slice(0, 180);

const field = { type: "string", description };
const many = <Value>(count: number, name: string, value: Value) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, value]));
const section = { type: "object", properties: many(fieldsEach, "field", field) };
const openAPIV3Schema = {
  type: "object",
  properties: { spec: { type: "object", properties: many(sections, "section", section) } },
};

function bulkyCrd(at: number): Crd {
  const group = `bulky${Math.floor(at / 5)}.example.com`;
  const names = { kind: `Bulky${at}`, plural: `bulky${at}s` };
  const metadata = { name: `${names.plural}.${group}` };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  const head = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  return { ...head, metadata, spec: { group, scope: "Namespaced", names, versions } } as Crd;
}

export const bulkyBytes = JSON.stringify(bulkyCrd(0)).length;

export function addBulkyCrds(api: Server, first: number, end: number): Promise<void> {
  return inParallel(end - first, (at) => api.installCrds([bulkyCrd(first + at)]));
}

export function removeBulkyCrds(api: Server, count: number): Promise<void> {
  return inParallel(count, (at) => api.removeCrd(bulkyCrd(at)));
}
