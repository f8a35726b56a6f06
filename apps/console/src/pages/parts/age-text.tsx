// How long ago something was, as a text that goes on by itself: the rows around it are not rendered again for it.

import { ageText, secondsSince } from "@virt/client";
import { useTimeText } from "../data/clock.ts";
import { strings } from "../strings.ts";

/** `time` is RFC 3339. */
export function TimeAgo({ time, className }: { readonly time: string; readonly className?: string }) {
  const text = useTimeText((now) => strings.ago(ageText(secondsSince(time, now) ?? 0)));
  return (
    <time dateTime={time} title={time} {...(className !== undefined && { className })}>
      {text}
    </time>
  );
}
