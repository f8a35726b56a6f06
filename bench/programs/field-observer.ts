// Watches one object over a raw stream and reports when each value of a field arrives.

import { request } from "node:https";
import { createInterface } from "node:readline";
import { findAccess } from "@virt/kube";
import { tlsOf } from "./raw-requests.ts";

const { LIST: list = "", NAME: name = "", FIELD: field = "" } = process.env;
const access = findAccess({ env: process.env });
const url = new URL(`${list}?watch=true&fieldSelector=metadata.name%3D${name}`, access.server);

const stream = request(url, { headers: { accept: "application/json" }, ...tlsOf(access) }, (incoming) => {
  createInterface(incoming).on("line", (line) => {
    const at = performance.timeOrigin + performance.now();
    const { object } = JSON.parse(line) as { readonly object: { readonly spec?: Readonly<Record<string, unknown>> } };
    process.stdout.write(`${JSON.stringify({ at, value: object.spec?.[field] })}\n`);
  });
});
stream.end();
process.stdin.resume().on("end", () => process.exit(0)); // exits with the parent process
