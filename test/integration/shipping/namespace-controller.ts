// Simulates the namespace controller, which is not part of an API server: empties and removes namespaces.

import type { Server } from "@virt/testkit";
import { succeeded } from "./manifests.ts";

export async function endNamespaces(server: Server): Promise<void> {
  const ending = "--output=jsonpath={.items[?(@.status.phase=='Terminating')].metadata.name}";
  const { stdout } = succeeded(await server.kubectl("get", "namespaces", ending));
  const kinds = succeeded(
    await server.kubectl("api-resources", "--namespaced", "--verbs=delete,list", "--output=name"),
  );
  for (const name of stdout.split(" ").filter((one) => one !== "")) {
    const all = kinds.stdout.trim().split("\n").join(",");
    succeeded(await server.kubectl("delete", all, "--all", `--namespace=${name}`));
    const path = `/api/v1/namespaces/${name}/finalize`;
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } };
    const { status } = await server.request({ method: "PUT", path, body });
    if (status !== 200) throw new Error(`the namespace ${name} does not end: ${status}`);
  }
}
