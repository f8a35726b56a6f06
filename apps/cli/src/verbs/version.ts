// `version`: prints the versions of this program and of the advisor that drafted the plans.

import { textBlock } from "../blocks.ts";
import { exitCodes, type RunVerb } from "../verb.ts";

export const showVersion: RunVerb = async ({ session, printer, version, isOn }) => {
  const configs = isOn("client") ? [] : await session().listConfigs();
  const drafted = [...new Set(configs.flatMap(({ status }) => status?.operatorVersion ?? []))].toSorted();
  const advisor = isOn("client") ? [] : [`advisor: ${drafted.join(", ") || "unknown (no plan drafted yet)"}`];
  printer.print({
    type: "Version",
    data: { client: version, ...(!isOn("client") && { advisor: drafted }) },
    blocks: [textBlock(`kubectl virt-advisor ${version}`, ...advisor)],
  });
  return exitCodes.done;
};
