// The previews of an adoption and of the way back in words, for a terminal and for the console.

import { autopilotName } from "@virt/api";
import { adoptedSwitches, adoptionChanges, adoptionTable, nodeCount, objectName } from "@virt/platform";
import type { AdoptionPreview, ReturnPreview } from "@virt/reads";
import { type AdoptionView, foreignText } from "@virt/views";

/** `program` is the command, for the next steps. */
export function viewAdoption(preview: AdoptionPreview, program: string): AdoptionView {
  const { rows, added, later, impact, plan, isNeeded, digest } = preview;
  const table = adoptionTable(rows);
  return {
    rows: table.map(({ theirs, equal, why, ...row }, at) => {
      const { rebootsIfReplaced, assets: [asset] = [] } = rows[at] ?? {};
      const isReplaceable = rebootsIfReplaced !== undefined && asset !== undefined && row.action !== "take over";
      return {
        object: theirs,
        equal,
        why: foreignText(why, 300),
        ...row,
        ...(isReplaceable && { replaceWith: asset }),
      };
    }),
    notes: notesOf([
      ["Changes:", adoptionChanges(rows)],
      ["Switches to set on the HyperConverged:", adoptedSwitches(plan)],
      ["virt-platform-operator also applies, without a reboot:", added],
      [
        "Not adopted, because they reboot nodes. To add one later, run:",
        later.map((asset) => `${program} enable ${asset}`),
      ],
    ]),
    summary: impact === null ? noReboots : foreignText(impact.summary, 512),
    impact,
    isNeeded,
    digest,
  };
}

const noReboots = "Reboots 0 nodes.";

/** `action` is that of the autopilot. */
export function viewReturn({
  rows,
  doubled,
  reboots,
  isAutopilotInstalled,
  isNeeded,
  digest,
}: ReturnPreview): AdoptionView {
  const missing = isAutopilotInstalled ? [] : ["Nothing will manage these objects."];
  const deletes = doubled.map(({ kind, name, namespace }) => {
    const place = namespace === undefined ? "" : ` -n ${namespace}`;
    return `kubectl delete ${kind.toLowerCase()} ${name}${place}`;
  });
  return {
    rows: rows.map((row) => ({
      object: objectName(row.theirs),
      ours: "-",
      equal: "-",
      action: row.action,
      reboots: row.reboots,
      why: "",
    })),
    notes: notesOf([
      [`! ${autopilotName} is not installed.`, missing],
      ["These objects of virt-platform-operator stay and serve the same purpose. To delete them, run:", deletes],
    ]),
    summary: reboots === 0 ? noReboots : `Reboots ${nodeCount(reboots)}, started by ${autopilotName}.`,
    impact: null,
    isNeeded,
    digest,
  };
}

function notesOf(all: readonly (readonly [string, readonly string[]])[]): AdoptionView["notes"] {
  const shown = all.filter(([, lines]) => lines.length > 0);
  return shown.map(([title, lines]) => ({ title, lines: lines.map((line) => foreignText(line, 300)) }));
}
