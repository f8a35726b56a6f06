// The folder that the demo asks users to put into their PATH: every command that the product prints runs with what is in it.

import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export type PathPrograms = {
  /** The kubectl of the control plane. */
  readonly kubectl: string;
  /** The built kubectl plugin. */
  readonly plugin: string;
};

export function fillPathFolder(folder: string, { kubectl, plugin }: PathPrograms): void {
  symlinkSync(resolve(kubectl), join(folder, "kubectl"));
  symlinkSync(resolve(plugin), join(folder, "kubectl-virt_advisor"));
  for (const [name, text] of Object.entries({ oc: ocScript, virtctl: virtctlScript })) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
}

/** Commands that kubectl has too run with kubectl. */
const ocScript = `#!/bin/sh
# Stand-in of the demo for oc.
case "$1" in
  adm|debug|login|logout|new-app|project|rsh|start-build|whoami)
    echo "oc (stand-in of the demo): on OpenShift this runs: oc $*. The simulated cluster has nothing that it could act on." ;;
  *)
    echo "oc (stand-in of the demo): runs kubectl $*" >&2
    exec kubectl "$@" ;;
esac
`;

/** virtctl stop and start set the run strategy of a VM. */
const virtctlScript = `#!/bin/sh
# Stand-in of the demo for virtctl.
case "$1" in
  stop) strategy=Halted ;;
  start) strategy=Always ;;
  *) echo "virtctl (stand-in of the demo): on a real cluster this runs: virtctl $*. The simulated VMs support stop and start only."
     exit 0 ;;
esac
verb=$1 vm=$2
shift 2
echo "virtctl (stand-in of the demo): virtctl $verb sets runStrategy $strategy" >&2
exec kubectl patch virtualmachine "$vm" "$@" --type=merge -p "{\\"spec\\":{\\"runStrategy\\":\\"$strategy\\"}}"
`;
