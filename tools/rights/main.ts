// `make check-rights`: checks that all tests together use every permission that the operators request.

import { globSync, readFileSync } from "node:fs";
import { advisor, type OperatorNames, platform } from "../generate/operators.ts";
import { compareRights } from "./compare-rights.ts";
import { exceptions } from "./exceptions.ts";
import { grantedRights } from "./granted-rights.ts";
import { type UsedRight, usedRightsFolder } from "./used-rights.ts";

const files = globSync(`${usedRightsFolder}/*.json`);
const used = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")) as readonly UsedRight[]);

function complaintsAbout({ name, account }: OperatorNames, ...roles: readonly string[]): readonly string[] {
  const granted = roles.flatMap((role) => grantedRights(account, readFileSync(role, "utf8")));
  const { unused, needless } = compareRights(granted, used, exceptions);
  process.stdout.write(
    `${name}: ${granted.length} permissions, ${granted.length - unused.length} of them used or listed as exceptions\n`,
  );
  return [
    ...unused.map((right) => `${name} has a permission that no test uses: ${right}`),
    ...needless.map((right) => `${name} does not have the permission of an exception: ${right}`),
  ];
}

const complaints =
  files.length === 0
    ? ["no used permissions are recorded: run make test-all"]
    : [
        ...complaintsAbout(advisor, "config/rbac/advisor/role.yaml", "config/rbac/example-profile/role.yaml"),
        ...complaintsAbout(platform, "config/rbac/platform/role.yaml"),
      ];
for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
