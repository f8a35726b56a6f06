// A production cluster as the user's current context. No printed command may reach it.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Json } from "@virt/api";
import { writeYaml } from "@virt/objects";
import type { Server } from "@virt/testkit";
import { expect } from "vitest";

export type Production = {
  readonly kubeconfig: () => string;
  readonly kubeconfigBefore: string;
  readonly kubeconfigFile: string;
  readonly requests: () => Promise<readonly string[]>;
};

const person = "ann-of-production";

type Kubeconfig = {
  readonly clusters: readonly { readonly cluster: Json }[];
  readonly users: readonly { readonly user: Json }[];
};

/** Writes a kubeconfig whose current context is the server's administrator. */
export function ownProduction(server: Server, file: string): Production {
  const user = server.user(person, ["system:masters"]);
  const { clusters, users } = JSON.parse(readFileSync(user.kubeconfig, "utf8")) as Kubeconfig;
  const text = writeYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: clusters.map(({ cluster }) => ({ name: "production", cluster })),
    users: users.map(({ user }) => ({ name: person, user })),
    contexts: [{ name: "production", context: { cluster: "production", user: person } }],
    "current-context": "production",
  });
  // Sends a marker request, after which the audit log has all earlier requests.
  const last = "list /api/v1/namespaces";
  const logged = () =>
    server
      .audit()
      .filter((event) => event.user.username === person)
      .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o640);
  return {
    kubeconfig: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
    kubeconfigBefore: text,
    kubeconfigFile: file,
    requests: async () => {
      const before = logged().filter((request) => request === last).length;
      await user.request({ path: "/api/v1/namespaces" });
      await expect.poll(() => logged().filter((request) => request === last).length).toBeGreaterThan(before);
      return logged().toSpliced(logged().lastIndexOf(last), 1);
    },
  };
}
