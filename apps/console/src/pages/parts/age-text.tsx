// Ages that go on by themselves, with the time itself on hover: the rows around them are not rendered again for it.

import { ageText, secondsSince } from "@virt/client";
import { useTimeText } from "../data/clock.ts";
import { strings } from "../strings.ts";

/** `time` is RFC 3339. */
type AgeProps = { readonly time: string; readonly className?: string };

/** Such as `5m`. */
export function Age({ time, className }: AgeProps) {
  const text = useTimeText((now) => ageAt(time, now));
  return (
    <time dateTime={time} title={time} {...(className !== undefined && { className })}>
      {text}
    </time>
  );
}

/** Such as `5m ago`. */
export function TimeAgo({ time, className }: AgeProps) {
  const text = useTimeText((now) => strings.ago(ageAt(time, now)));
  return (
    <time dateTime={time} title={time} {...(className !== undefined && { className })}>
      {text}
    </time>
  );
}

function ageAt(time: string, now: number): string {
  return ageText(secondsSince(time, now) ?? 0);
}
