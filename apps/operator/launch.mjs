// The entry point. Node.js 12 and later can parse it, so that an old version prints the requirement.

const neededMajor = 24;

if (Number(process.version.slice(1).split(".")[0]) >= neededMajor) void import("./virt-operator-bundle.mjs");
else {
  const found = `virt-operator needs Node.js ${neededMajor} or later; this is ${process.version}.`;
  const remedy =
    "In a copy of the repository, make render, make explain and make run bring the Node that they need; elsewhere use the image.";
  process.stderr.write(`${found} ${remedy}\n`);
  process.exitCode = 1;
}
