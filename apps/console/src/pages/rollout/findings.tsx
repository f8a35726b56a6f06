// What holds a rollout, in a sentence, for how long, with the command to paste.

import { Alert, Title } from "@patternfly/react-core";
import { ageText, type FindingView } from "@virt/client";
import { Remedies } from "../parts/remedies.tsx";
import { CommandText } from "../parts/states.tsx";
import { strings } from "../strings.ts";

const texts = strings.rollout;

const variants = { blocking: "danger", warning: "warning", info: "info" } as const;

export function FindingList({ findings }: { readonly findings: readonly FindingView[] }) {
  return (
    <>
      {findings.map(({ id, severity, node = "", message, command, options = [], seconds }) => (
        <Alert
          key={`${id}${node}${message}`}
          isInline
          variant={variants[severity]}
          className="vc-finding"
          title={`${message} (${texts.severities[severity]}${seconds === undefined ? "" : `, ${ageText(seconds)}`})`}
        >
          {options.length === 0 ? null : <Remedies remedies={options} />}
          {command === undefined ? null : <CommandText text={command} />}
        </Alert>
      ))}
    </>
  );
}

type FindingsProps = {
  /** Those that are not shown beside a node. */
  readonly findings: readonly FindingView[];
  /** How many are shown beside nodes, and how many the status leaves out. */
  readonly beside: number;
  readonly more: number;
};

export function Findings({ findings, beside, more }: FindingsProps) {
  return (
    <section aria-labelledby="findings-title" className="vc-section" data-testid="findings">
      <Title headingLevel="h2" size="lg" id="findings-title">
        {texts.findings}
      </Title>
      {findings.length + beside === 0 ? <p>{texts.noFindings}</p> : null}
      {beside === 0 ? null : <p>{texts.besideNodes(beside)}</p>}
      <FindingList findings={findings} />
      {more === 0 ? null : <p>{texts.moreFindings(more)}</p>}
    </section>
  );
}
