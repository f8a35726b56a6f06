import { readFileSync } from "node:fs";

/** `privateMb` excludes the Node binary, whose memory all processes on a machine share. */
export type Memory = { readonly rssMb: number; readonly peakMb: number; readonly privateMb: number };

/** Parses /proc/<pid>/status. VmHWM is the peak memory. */
export function readMemory(status: string): Memory {
  const megabytes = (name: string) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    if (kilobytes === undefined) throw new Error(`no ${name} in the status of the process`);
    return (Number(kilobytes) * 1024) / 1_000_000;
  };
  return { rssMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM"), privateMb: megabytes("RssAnon") };
}

const ticksPerSecond = 100; // USER_HZ is 100 on every Linux that Node supports

/** Parses /proc/<pid>/stat. The program name is in parentheses and may contain any character. */
export function readCpuMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]); // utime, stime
  if (!Number.isFinite(ticks)) throw new Error(`no processor time in "${stat}"`);
  return (ticks * 1000) / ticksPerSecond;
}

export const memoryOf = (pid: number): Memory => readMemory(readFileSync(`/proc/${pid}/status`, "utf8"));

export const cpuMsOf = (pid: number): number => readCpuMs(readFileSync(`/proc/${pid}/stat`, "utf8"));
