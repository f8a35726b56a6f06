// What the kernel makes of its arguments: of those with the same key the last one counts.

import { asList, asText, type Json } from "./json.ts";

/** The whole argument, such as `psi=1`, that is in force for a key; the key ends at the first `=`. */
export function argumentInForce(kernelArguments: Json | undefined, key: string): string | undefined {
  return asList(kernelArguments)
    .flatMap((argument) => asText(argument) ?? [])
    .findLast((argument) => argument.split("=", 1)[0] === key);
}
