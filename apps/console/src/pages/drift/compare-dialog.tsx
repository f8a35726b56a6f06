import { Button, Modal, ModalBody, ModalHeader, ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import type { Item } from "@virt/api";
import { driftDiff, readDiff } from "@virt/views";
import { useState } from "react";
import { useCluster } from "../data/use-cluster.ts";
import { readTarget } from "../data/use-drift.ts";
import { DiffTables } from "../plan/item-diff.tsx";
import { strings } from "../strings.ts";

const texts = strings.drift;

type CompareDialogProps = { readonly item: Item; readonly title: string };

type Compared = { readonly diff: string | undefined };

export function CompareDialog({ item, title }: CompareDialogProps) {
  const cluster = useCluster();
  const [compared, setCompared] = useState<Compared | undefined>();
  const [isSideBySide, setIsSideBySide] = useState(false);
  const open = async () => setCompared({ diff: driftDiff(item, await readTarget(cluster, item.targetRef)) });
  return (
    <>
      <Button variant="link" isInline aria-label={`${texts.compare}: ${title}`} onClick={() => void open()}>
        {texts.compare}
      </Button>
      {compared === undefined ? null : (
        <Modal isOpen variant="large" onClose={() => setCompared(undefined)} aria-labelledby="compare-title">
          <ModalHeader title={title} labelId="compare-title" description={texts.compareText} />
          <ModalBody tabIndex={0} aria-label={title}>
            <ToggleGroup aria-label={strings.plan.diffView}>
              <ToggleGroupItem
                text={strings.plan.unified}
                isSelected={!isSideBySide}
                onChange={() => setIsSideBySide(false)}
              />
              <ToggleGroupItem
                text={strings.plan.sideBySide}
                isSelected={isSideBySide}
                onChange={() => setIsSideBySide(true)}
              />
            </ToggleGroup>
            {compared.diff === undefined ? (
              <p>{texts.compareUnknown}</p>
            ) : (
              <DiffTables diff={readDiff(compared.diff)} name={title} isSideBySide={isSideBySide} />
            )}
          </ModalBody>
        </Modal>
      )}
    </>
  );
}
