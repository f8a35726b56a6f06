import { spawnSync } from "node:child_process";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { bundling } from "./bundling.ts";

async function loadedBy(program: string): Promise<readonly string[]> {
  const contents = `${program}\nprocess.stdout.write(process.moduleLoadList.join("\\n"));`;
  const stdin = { contents, resolveDir: process.cwd() };
  const { outputFiles } = await build({ ...bundling, stdin, write: false });
  const input = outputFiles[0]?.text ?? "";
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module"], { input, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n");
}

test.each([
  {
    reason: "an import of node:http",
    loads: "NativeModule http",
    program: `import { request } from "node:http"; if (request === undefined) throw new Error("no request");`,
  },
  {
    reason: "writing a log",
    loads: "NativeModule worker_threads", // the rest of pino, such as HTTP, is not bundled
    program: `import { createLog, systemClock } from "@virt/kube";
      const log = createLog({ level: "info", format: "json", isColoured: false, clock: systemClock, write: () => {} });
      log.info("hello", { fields: { of: [new Map(), { any: "sort" }] } });`,
  },
])("a bundled program does not load fetch: $reason", async ({ program, loads }) => {
  const loaded = await loadedBy(program);
  expect(loaded).toContain(loads);
  expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
});
