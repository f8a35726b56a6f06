// A dialog with a live object, without server-side metadata.

import { Button, CodeBlock, CodeBlockCode, Modal, ModalBody, ModalHeader } from "@patternfly/react-core";
import type { KubeObject, Ref } from "@virt/api";
import { useState } from "react";
import { useCluster } from "../data/use-cluster.ts";
import { targetPath } from "../data/use-drift.ts";
import { strings } from "../strings.ts";

type ObjectDialogProps = {
  readonly target: Partial<Ref> & Pick<Ref, "kind" | "name">;
  readonly label: string;
  readonly title: string;
};

export function ObjectDialog({ target, label, title }: ObjectDialogProps) {
  const cluster = useCluster();
  const [text, setText] = useState<string | undefined>();
  const path = targetPath(target);
  const open = async () => {
    setText(strings.loading(title));
    const answer = path === undefined ? undefined : await cluster.readObject(path);
    if (answer === undefined) return;
    setText(answer.kind === "done" ? shownText(answer.object) : answer.message);
  };
  if (path === undefined) return null;
  return (
    <>
      <Button variant="link" isInline aria-label={`${label}: ${title}`} onClick={() => void open()}>
        {label}
      </Button>
      {text === undefined ? null : (
        <Modal isOpen variant="large" onClose={() => setText(undefined)} aria-labelledby="object-title">
          <ModalHeader title={title} labelId="object-title" />
          <ModalBody tabIndex={0} aria-label={title}>
            <CodeBlock>
              <CodeBlockCode className="vc-raw">{text}</CodeBlockCode>
            </CodeBlock>
          </ModalBody>
        </Modal>
      )}
    </>
  );
}

function shownText({ metadata, ...rest }: KubeObject): string {
  const { managedFields: _owners, ...shown } = metadata;
  return JSON.stringify({ ...rest, metadata: shown }, null, 2);
}
