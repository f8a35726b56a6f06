// Ages that update without rendering the surrounding rows. The exact time shows on hover.

import { ageText, secondsSince } from "@virt/views";
import { useTimeText } from "../data/clock.ts";
import { strings } from "../strings.ts";

/** `time` is RFC 3339. */
type AgeProps = { readonly time: string; readonly className?: string };

export function Age({ time, className }: AgeProps) {
  const text = useTimeText((now) => ageAt(time, now));
  return (
    <time dateTime={time} title={time} {...(className !== undefined && { className })}>
      {text}
    </time>
  );
}

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
