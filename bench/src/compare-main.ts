import { comparisonOf, readResult } from "./compare.ts";

const { A = "", B = "" } = process.env;
if (A === "" || B === "") {
  process.stderr.write("usage: make bench-compare A=<older result> B=<newer result>   (files of bench/results)\n");
  process.exitCode = 2;
} else {
  const [older, newer] = [readResult(A), readResult(B)];
  if (older.scenario === newer.scenario) process.stdout.write(comparisonOf(older, newer));
  else {
    process.stderr.write(`${A} is about ${older.scenario}, ${B} about ${newer.scenario}\n`);
    process.exitCode = 2;
  }
}
