// Writes the completion scripts and the man page into the given folder. Called by `make plugin`.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completionScript } from "./completion-script.ts";
import { writeManPage } from "./man-page.ts";

const [folder = ".", version = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const files = {
  "kubectl-virt_advisor.1": writeManPage(version),
  "kubectl-virt_advisor.bash": completionScript("bash"),
  "_kubectl-virt_advisor": completionScript("zsh"),
  "kubectl-virt_advisor.fish": completionScript("fish"),
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
