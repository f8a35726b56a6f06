// Fills the folder that demo users add to their PATH, so that every command that the product prints works.

import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export type PathPrograms = {
  readonly kubectl: string;
  readonly plugin: string;
};

export function fillPathFolder(folder: string, { kubectl, plugin }: PathPrograms): void {
  symlinkSync(resolve(kubectl), join(folder, "kubectl"));
  symlinkSync(resolve(plugin), join(folder, "kubectl-virt_advisor"));
  for (const [name, text] of Object.entries({ oc: ocScript, virtctl: virtctlScript, ssh: sshScript })) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
}

/** Passes commands that kubectl also has to kubectl, including those under `oc adm`. All others fail. */
const ocScript = `#!/bin/sh
# The demo's stand-in for oc.
run() {
  echo "oc (demo stand-in): runs kubectl $*" >&2
  exec kubectl "$@"
}
case "$1 $2" in
  "adm certificate"|"adm cordon"|"adm drain"|"adm taint"|"adm top"|"adm uncordon")
    shift
    run "$@" ;;
esac
case "$1" in
  ""|adm|login|logout|new-app|project|rsh|start-build|whoami)
    echo "oc (demo stand-in): the simulated cluster does not support this command. On OpenShift, it runs: oc $*" >&2
    exit 1 ;;
esac
run "$@"
`;

/**
 * The usage matches virtctl in KubeVirt at commit 0847ae426d18 (pkg/virtctl/vm): VERB NAME, and the global flag
 * --namespace.
 */
const virtctlScript = `#!/bin/sh
# The demo's stand-in for virtctl.
fail() {
  echo "virtctl (demo stand-in): $1. Usage: virtctl start|stop|migrate NAME [-n NAMESPACE]" >&2
  exit 1
}
verb=$1 vm= namespace=
case "$verb" in
  start) strategy=Always ;;
  stop) strategy=Halted ;;
  migrate) ;;
  *) fail "the simulated VMs do not support the command '$verb'" ;;
esac
shift
while [ $# -gt 0 ]; do
  case "$1" in
    -n|--namespace)
      [ -n "$2" ] || fail "flag needs an argument: $1"
      namespace=$2
      shift ;;
    --namespace=?*) namespace=\${1#*=} ;;
    -*) fail "unknown flag: $1" ;;
    *)
      [ -z "$vm" ] || fail "accepts 1 argument, received more"
      vm=$1 ;;
  esac
  shift
done
[ -n "$vm" ] || fail "accepts 1 argument, received 0"
set -- \${namespace:+-n "$namespace"}
if [ "$verb" = migrate ]; then
  echo "virtctl (demo stand-in): virtctl migrate creates a VirtualMachineInstanceMigration" >&2
  kubectl get virtualmachineinstance "$vm" "$@" -o name || exit 1
  echo "{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstanceMigration, metadata: {generateName: kubevirt-migrate-vm-}, spec: {vmiName: $vm}}" |
    kubectl create "$@" -f -
  exit
fi
echo "virtctl (demo stand-in): virtctl $verb sets runStrategy $strategy" >&2
exec kubectl patch virtualmachine "$vm" "$@" --type=merge -p "{\\"spec\\":{\\"runStrategy\\":\\"$strategy\\"}}"
`;

/** Handles only the simulated nodes. All other ssh calls, such as those of git, run the user's own ssh. */
const sshScript = `#!/bin/sh
# The demo's stand-in for ssh.
node=\${1#core@}
if [ "core@$node" = "$1" ] && kubectl get node "$node" -o name >/dev/null 2>&1; then
  shift
  echo "ssh (demo stand-in): $node is simulated and accepts no logins. On a real node, it runs: $*" >&2
  [ "$1" = journalctl ] || exit 255
  echo "-- No entries --"
  exit
fi
folder=$(dirname "$0")
PATH=$(printf %s ":$PATH:" | sed "s|:$folder/*:|:|g; s|^:||; s|:$||")
exec ssh "$@"
`;
