// Builds the OCI runtime specification of a pod's container, like a kubelet.

import type { ImageConfig } from "./image-archive.ts";
import { fieldOf, type Pod } from "./pod.ts";

export type RuntimeSpecOptions = {
  readonly pod: Pod;
  readonly image: ImageConfig["config"];
  readonly root: string;
  readonly volumes: ReadonlyMap<string, string>;
  /** A user ID that OpenShift chose. Default: the image's user. */
  readonly userId?: number | undefined;
  readonly apiServer: URL;
  /** Returns the port on this machine, whose network all containers share. */
  readonly hostPort: (containerPort: number) => number;
};

/** Throws for unsupported fields. Does not set CPU and memory limits, because there are no cgroups. */
export function runtimeSpec(options: RuntimeSpecOptions): object {
  const { pod, image, root, volumes, userId = Number(image.User), apiServer, hostPort } = options;
  const [container] = pod.spec.containers;
  const { securityContext } = container;
  if (pod.spec.securityContext.runAsNonRoot === true && !(userId > 0)) throw new Error("the image runs as root");
  return {
    ociVersion: "1.0.2",
    hostname: pod.metadata.name,
    root: { path: root, readonly: securityContext.readOnlyRootFilesystem },
    process: {
      user: { uid: userId, gid: 0 },
      cwd: "/",
      args: [...image.Entrypoint, ...container.args.map((flag) => withHostPort(flag, hostPort))],
      env: [
        ...image.Env,
        `HOSTNAME=${pod.metadata.name}`,
        `KUBERNETES_SERVICE_HOST=${apiServer.hostname}`,
        `KUBERNETES_SERVICE_PORT=${apiServer.port}`,
        ...container.env.map(
          ({ name, value, valueFrom }) => `${name}=${valueFrom ? fieldOf(pod, valueFrom) : (value ?? "")}`,
        ),
      ],
      capabilities: capabilitiesOf(securityContext.capabilities),
      noNewPrivileges: !securityContext.allowPrivilegeEscalation,
    },
    mounts: [
      ...ownMounts,
      ...container.volumeMounts.map(({ name, mountPath, readOnly }) => ({
        destination: mountPath,
        type: "bind",
        source: volumes.get(name),
        options: ["bind", "nosuid", "nodev", readOnly === true ? "ro" : "rw"],
      })),
    ],
    linux: {
      namespaces: ["pid", "ipc", "mount", "uts"].map((type) => ({ type })),
      ...seccompOf(pod.spec.securityContext.seccompProfile?.type),
      maskedPaths: ["/proc/kcore", "/proc/keys", "/proc/sched_debug", "/proc/timer_list"],
      readonlyPaths: ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys"],
    },
  };
}

function withHostPort(flag: string, hostPort: (containerPort: number) => number): string {
  return flag.replace(/:(\d+)$/, (_, port: string) => `:${hostPort(Number(port))}`);
}

const ownMounts = [
  { destination: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"] },
  { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755", "size=65536k"] },
  { destination: "/dev/shm", type: "tmpfs", source: "shm", options: ["nosuid", "noexec", "nodev", "mode=1777"] },
];

type Capabilities = Pod["spec"]["containers"][0]["securityContext"]["capabilities"];

function capabilitiesOf({ drop, add = [] }: Capabilities) {
  if (!drop.includes("ALL") || add.length > 0) throw new Error("the container is to have capabilities");
  return { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] };
}

/** System calls that the default profiles of container runtimes block without capabilities. */
const refusedCalls = [
  "acct add_key bpf clock_adjtime clock_settime delete_module finit_module init_module kexec_file_load kexec_load keyctl",
  "lookup_dcookie mount move_pages name_to_handle_at open_by_handle_at perf_event_open pivot_root process_vm_readv",
  "process_vm_writev ptrace quotactl reboot request_key setns settimeofday swapoff swapon syslog umount2 unshare userfaultfd vhangup",
].flatMap((names) => names.split(" "));

function seccompOf(profile: string | undefined) {
  if (profile !== "RuntimeDefault") throw new Error(`there is no seccomp profile ${profile} here`);
  const syscalls = [{ names: refusedCalls, action: "SCMP_ACT_ERRNO" }];
  return { seccomp: { defaultAction: "SCMP_ACT_ALLOW", syscalls } };
}
