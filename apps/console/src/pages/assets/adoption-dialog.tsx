// Moves objects between virt-platform-autopilot and the platform controller, after a preview.

import { Alert, Button, Checkbox, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import type { AdoptionProgress, AdoptionView, AdoptionViewRow } from "@virt/views";
import { useEffect, useState } from "react";
import type { AdoptionAnswer, AdoptionData } from "../data/cluster-data.ts";
import { AssessedImpact } from "../plan/impact-view.tsx";
import { strings } from "../strings.ts";

const texts = strings.assets;

type AdoptionDialogProps = {
  readonly isBack: boolean;
  readonly adoption: AdoptionData;
  readonly close: () => void;
};

type Run = { readonly steps: readonly string[]; readonly end: AdoptionProgress | undefined };

/** `isBack`: return the objects to virt-platform-autopilot. Closing it does not stop a run. */
export function AdoptionDialog({ isBack, adoption, close }: AdoptionDialogProps) {
  const [replaced, setReplaced] = useState<readonly string[]>([]);
  const [run, setRun] = useState<Run | undefined>();
  const answer = usePreview(adoption, isBack, replaced);
  const start = async (digest: string) => {
    setRun({ steps: [], end: undefined });
    const addStep = (text: string) => setRun((before) => ({ steps: [...(before?.steps ?? []), text], end: undefined }));
    const end = await adoption.run({ isBack, replaced, digest }, addStep);
    setRun((before) => ({ steps: before?.steps ?? [], end }));
  };
  const toggle = (asset: string) =>
    setReplaced(replaced.includes(asset) ? replaced.filter((one) => one !== asset) : [...replaced, asset]);
  const view = answer?.kind === "previewed" ? answer.view : undefined;
  return (
    <Modal isOpen variant="large" onClose={close} aria-labelledby="adoption-title">
      <ModalHeader title={isBack ? texts.adoptionTitles.back : texts.adoptionTitles.adopt} labelId="adoption-title" />
      <ModalBody tabIndex={0} aria-label={texts.previewAdoption}>
        {run === undefined ? (
          <PreviewedAdoption answer={answer} replaced={replaced} onToggle={toggle} />
        ) : (
          <RunningAdoption run={run} />
        )}
      </ModalBody>
      <ModalFooter>
        {run === undefined ? (
          <Button
            variant="primary"
            isDisabled={view?.isNeeded !== true}
            onClick={() => view !== undefined && void start(view.digest)}
          >
            {isBack ? texts.returnRun : texts.adoptionRun}
          </Button>
        ) : null}
        <Button variant="link" onClick={close}>
          {run === undefined ? strings.plan.cancel : texts.close}
        </Button>
      </ModalFooter>
    </Modal>
  );
}

/** Undefined until the server responds. */
function usePreview(adoption: AdoptionData, isBack: boolean, replaced: readonly string[]): AdoptionAnswer | undefined {
  const [answer, setAnswer] = useState<AdoptionAnswer | undefined>();
  useEffect(() => {
    let isCurrent = true;
    const compare = async () => {
      setAnswer(undefined);
      const next = await adoption.preview({ isBack, replaced });
      if (isCurrent) setAnswer(next);
    };
    void compare();
    return () => {
      isCurrent = false;
    };
  }, [adoption, isBack, replaced]);
  return answer;
}

type PreviewedAdoptionProps = {
  readonly answer: AdoptionAnswer | undefined;
  readonly replaced: readonly string[];
  readonly onToggle: (asset: string) => void;
};

function PreviewedAdoption({ answer, replaced, onToggle }: PreviewedAdoptionProps) {
  if (answer === undefined) return <p>{texts.comparing}</p>;
  if (answer.kind === "failed")
    return <Alert isInline isLiveRegion variant="danger" title={texts.notCompared(answer.message)} />;
  const { view } = answer;
  if (!view.isNeeded) return <p>{texts.adoptionNothing}</p>;
  return (
    <div data-testid="adoption">
      <AdoptionTable rows={view.rows} replaced={replaced} onToggle={onToggle} />
      {view.notes.map(({ title, lines }) => (
        <section key={title}>
          <p>{title}</p>
          <ul>
            {lines.map((line) => (
              <li key={line} className="vc-raw">
                {line}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <AdoptionImpact view={view} />
    </div>
  );
}

function AdoptionImpact({ view: { impact, summary } }: { readonly view: AdoptionView }) {
  if (impact !== null) return <AssessedImpact impact={impact} />;
  return <p data-testid="adoption-impact">{summary}</p>;
}

type AdoptionTableProps = {
  readonly rows: readonly AdoptionViewRow[];
  readonly replaced: readonly string[];
  readonly onToggle: (asset: string) => void;
};

function AdoptionTable({ rows, replaced, onToggle }: AdoptionTableProps) {
  if (rows.length === 0) return null;
  return (
    <Table aria-label={texts.previewAdoption} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{texts.theirs}</Th>
          <Th>{texts.ours}</Th>
          <Th>{texts.equal}</Th>
          <Th>{texts.adoptionAction}</Th>
          <Th>{texts.reboots}</Th>
          <Th>{texts.why}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {rows.map((row) => (
          <Tr key={row.object}>
            <Td dataLabel={texts.theirs} modifier="breakWord">
              {row.object}
            </Td>
            <Td dataLabel={texts.ours} modifier="breakWord">
              {row.ours}
            </Td>
            <Td dataLabel={texts.equal}>{row.equal}</Td>
            <Td dataLabel={texts.adoptionAction}>{row.action}</Td>
            <Td dataLabel={texts.reboots}>{row.reboots}</Td>
            <Td dataLabel={texts.why} modifier="breakWord">
              {row.replaceWith === undefined ? (
                row.why
              ) : (
                <ReplaceChoice
                  object={row.object}
                  asset={row.replaceWith}
                  isChosen={replaced.includes(row.replaceWith)}
                  onToggle={onToggle}
                />
              )}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

type ReplaceChoiceProps = {
  readonly object: string;
  readonly asset: string;
  readonly isChosen: boolean;
  readonly onToggle: (asset: string) => void;
};

function ReplaceChoice({ object, asset, isChosen, onToggle }: ReplaceChoiceProps) {
  return (
    <Checkbox
      id={`replace-${object.replaceAll(/[^A-Za-z0-9-]/g, "-")}`}
      label={texts.replace}
      aria-label={texts.replaceFor(object, asset)}
      isChecked={isChosen}
      onChange={() => onToggle(asset)}
    />
  );
}

function RunningAdoption({ run: { steps, end } }: { readonly run: Run }) {
  return (
    <div data-testid="adoption-run">
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {end === undefined ? (
        <p>{texts.adoptionRunning}</p>
      ) : (
        <Alert
          isInline
          isLiveRegion
          variant={end.kind === "done" ? "success" : "danger"}
          title={
            end.kind === "changed" || end.kind === "failed" ? texts.adoptionStopped(end.message) : texts.adoptionDone
          }
        />
      )}
    </div>
  );
}
