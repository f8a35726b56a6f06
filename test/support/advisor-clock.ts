import { edit, paths } from "./advisor.ts";
import { type AdvisorOptions, useAdvisor } from "./advisor-suite.ts";
import { type ClockFile, prepareClock } from "./clock-file.ts";

/** Like `useAdvisor`, with clocks that `passSeconds` advances. It also triggers a reconcile. */
export function useAdvisorWithClock(options: AdvisorOptions) {
  let clock: ClockFile;
  let aheadMs = 0;
  const advisor = useAdvisor({
    ...options,
    prepare: async ({ server }) => {
      clock = await prepareClock(server.folder, "jump-clock.mjs");
      return { nodeFlags: clock.nodeFlags };
    },
  });
  const passSeconds = async (seconds: number) => {
    aheadMs += seconds * 1000;
    await clock.setMs(aheadMs);
    await edit(advisor().server, paths.node("worker-0"), { metadata: { labels: { "test/at": String(aheadMs) } } });
  };
  return { advisor, passSeconds };
}
