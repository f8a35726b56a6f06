// Shows an age that updates without re-rendering the row. Hovering shows the exact time.

import { ageText, secondsSince } from "@virt/views";
import { useTimeText } from "../data/clock.ts";
import { strings } from "../strings.ts";

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
