import { expect, test } from "vitest";
import { cpuMsOf, memoryOf, readCpuMs, readMemory } from "./process-figures.ts";

test("reads memory in decimal megabytes", () => {
  expect(readMemory("Name:\tnode\nVmHWM:\t  200000 kB\nVmRSS:\t  100000 kB\nRssAnon:\t  50000 kB\n")).toEqual({
    rssMb: 102.4,
    peakMb: 204.8,
    privateMb: 51.2,
  });
});

test("adds user and system time for any program name", () => {
  const stat = "42 (a (mad) name 7) S 1 42 42 0 -1 4194304 9 0 0 0 150 50 0 0 20 0 11 0 1 2 3";
  expect(readCpuMs(stat)).toBe(2000);
});

test("reads the files of the kernel", () => {
  const { rssMb, peakMb } = memoryOf(process.pid);
  expect(rssMb).toBeGreaterThan(1);
  expect(peakMb).toBeGreaterThan(1);
  expect(cpuMsOf(process.pid)).toBeGreaterThan(0);
});
