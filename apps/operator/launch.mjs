// The entry point. Node.js 12 can still parse it, so that old versions print the required version instead of a syntax
// error.

const neededMajor = 24;

if (Number(process.version.slice(1).split(".")[0]) >= neededMajor) void import("./virt-operator-bundle.mjs");
else {
  const found = `virt-operator needs Node.js ${neededMajor} or later; this is ${process.version}.`;
  const remedy =
    "In a copy of the repository, make render, make explain and make run bring the Node that they need; elsewhere use the image.";
  process.stderr.write(`${found} ${remedy}\n`);
  process.exitCode = 1;
}
