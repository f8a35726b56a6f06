import { Alert, List, ListItem, Title } from "@patternfly/react-core";
import { type FindingView, gapText, noBlockerText, type RolloutProgressView, uncheckedText } from "@virt/views";
import { Age } from "../parts/age-text.tsx";
import { Remedies } from "../parts/remedies.tsx";
import { CommandText } from "../parts/states.tsx";
import { strings } from "../strings.ts";

const texts = strings.rollout;

const variants = { blocking: "danger", warning: "warning", info: "info" } as const;

export function FindingList({ findings }: { readonly findings: readonly FindingView[] }) {
  return (
    <>
      {findings.map(({ id, severity, node = "", message, command, options = [], since }) => (
        <Alert
          key={`${id}${node}${message}`}
          isInline
          variant={variants[severity]}
          className="vc-finding"
          title={
            <>
              {`${message} (${texts.severities[severity]}`}
              {since === undefined ? null : (
                <>
                  {", "}
                  <Age time={since} />
                </>
              )}
              )
            </>
          }
        >
          {options.length === 0 ? null : <Remedies remedies={options} />}
          {command === undefined ? null : <CommandText text={command} />}
        </Alert>
      ))}
    </>
  );
}

type FindingsProps = {
  readonly view: RolloutProgressView;
  /** Findings to omit here, because they are shown next to a node. */
  readonly beside: readonly FindingView[];
};

export function Findings({ view, beside }: FindingsProps) {
  const { notAssessed } = view;
  const { findings: more } = view.more;
  const unchecked = uncheckedText(view);
  return (
    <section aria-labelledby="findings-title" className="vc-section" data-testid="findings">
      <Title headingLevel="h2" size="lg" id="findings-title">
        {texts.findings}
      </Title>
      {view.findings.length === 0 && unchecked === undefined ? <p>{noBlockerText([])}</p> : null}
      {beside.length === 0 ? null : <p>{texts.besideNodes(beside.length)}</p>}
      <FindingList findings={view.findings.filter((finding) => !beside.includes(finding))} />
      {unchecked === undefined ? null : (
        <Alert isInline variant="warning" className="vc-finding" title={unchecked}>
          <List>
            {notAssessed.map((gap) => (
              <ListItem key={gap.what}>{gapText(gap)}</ListItem>
            ))}
          </List>
        </Alert>
      )}
      {more === 0 ? null : <p>{texts.moreFindings(more)}</p>}
    </section>
  );
}
