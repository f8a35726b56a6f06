import { Button, Title } from "@patternfly/react-core";
import { CubeIcon, ExclamationTriangleIcon, FlagIcon, InfoCircleIcon, ServerIcon } from "@patternfly/react-icons";
import type { VirtPlatformConfig } from "@virt/api";
import { ageText, secondsSince } from "@virt/views";
import { type ComponentType, useMemo, useState } from "react";
import { type TimelineEntry, timelineOf } from "../data/timeline.ts";
import { useKind, useNow, useObjects } from "../data/use-cluster.ts";
import { strings } from "../strings.ts";

const texts = strings.rollout;
const shownAtFirst = 12;

const icons: Readonly<Record<TimelineEntry["kind"], ComponentType>> = {
  phase: FlagIcon,
  item: CubeIcon,
  node: ServerIcon,
  event: InfoCircleIcon,
};

export function Timeline({ config }: { readonly config: VirtPlatformConfig }) {
  const [isWhole, setIsWhole] = useState(false);
  const events = useObjects("advisorEvents");
  const { state } = useKind("advisorEvents");
  const entries = useMemo(() => timelineOf(config, events), [config, events]);
  const shown = isWhole ? entries : entries.slice(0, shownAtFirst);
  return (
    <section aria-labelledby="timeline-title" className="vc-section" data-testid="timeline">
      <Title headingLevel="h2" size="lg" id="timeline-title">
        {texts.timeline}
      </Title>
      {state === "forbidden" ? <p>{texts.noEvents}</p> : null}
      {entries.length === 0 ? <p>{texts.emptyTimeline}</p> : null}
      <ol className="vc-timeline">
        {shown.map((entry) => (
          <Entry key={entry.key} entry={entry} />
        ))}
      </ol>
      {entries.length > shownAtFirst ? (
        <Button variant="link" isInline aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? texts.fewer : texts.all(entries.length)}
        </Button>
      ) : null}
    </section>
  );
}

function Entry({ entry: { time, kind, word, text, isWarning } }: { readonly entry: TimelineEntry }) {
  const now = useNow();
  const Icon = isWarning ? ExclamationTriangleIcon : icons[kind];
  return (
    <li className={`vc-moment vc-moment-${isWarning ? "warning" : kind}`}>
      <span className="vc-moment-icon" aria-hidden="true">
        <Icon />
      </span>
      <time dateTime={time} title={time} className="vc-quiet">
        {strings.ago(ageText(secondsSince(time, now) ?? 0))}
      </time>
      <span>
        <span className="vc-quiet">{texts.kinds[kind]}</span> <strong>{word}</strong> {text}
      </span>
    </li>
  );
}
