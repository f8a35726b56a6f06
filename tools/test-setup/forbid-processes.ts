// Setup of every unit test file: rejects processes and sockets, which only integration tests may use.

import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

function forbid(action: string): () => never {
  return () => {
    throw new Error(
      `a unit test must not ${action}: name the file *.integration.test.ts, or move it to test/ (see CONTRIBUTING.md)`,
    );
  };
}

const starters = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const;
Object.assign(childProcess, Object.fromEntries(starters.map((name) => [name, forbid("start a process")])));
net.Socket.prototype.connect = forbid("connect to a server");
net.Server.prototype.listen = forbid("listen on a port");
syncBuiltinESMExports();
