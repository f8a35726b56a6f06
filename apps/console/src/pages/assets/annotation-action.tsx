// Sets annotations after a preview of the changed fields, the patch and the API server's dry run.

import {
  Alert,
  Button,
  CodeBlock,
  CodeBlockCode,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";
import { targetResource } from "@virt/views";
import { type ReactNode, useId, useState } from "react";
import { useAccess, useCluster } from "../data/use-cluster.ts";
import { targetPath } from "../data/use-drift.ts";
import { useAnnounce } from "../parts/announcer.tsx";
import { strings } from "../strings.ts";
import type { NamedTarget } from "./target-name.ts";

const texts = strings.assets;

type AnnotationActionProps = {
  readonly target: NamedTarget;
  readonly label: string;
  readonly text: string;
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly children?: ReactNode;
  readonly isReady?: boolean;
};

/** The result of the dry run. `said` is undefined until the API server responds. */
type Preview = { readonly said?: { readonly isTaken: boolean; readonly text: string } };

export function AnnotationAction({
  target,
  label,
  text,
  annotations,
  children,
  isReady = true,
}: AnnotationActionProps) {
  const cluster = useCluster();
  const announce = useAnnounce();
  const why = useId();
  const [preview, setPreview] = useState<Preview | undefined>();
  const path = targetPath(target);
  const { group, plural } = targetResource(target.kind) ?? { group: "", plural: "" };
  const { name, namespace } = target;
  const access = useAccess({
    group,
    resource: plural,
    verb: "patch",
    name,
    ...(namespace !== undefined && { namespace }),
  });
  if (path === undefined) return null;
  const body = { metadata: { annotations } };
  const patch = async (isDryRun: boolean): Promise<boolean> => {
    const answer = await cluster.patchObject(path, { type: "merge", body }, isDryRun);
    const isTaken = answer.kind === "done";
    setPreview({ said: { isTaken, text: isTaken ? texts.previewed : texts.previewRefused(answer.message) } });
    return isTaken;
  };
  const open = () => {
    setPreview({});
    void patch(true);
  };
  const send = async () => {
    if (!(await patch(false))) return;
    setPreview(undefined);
    announce(texts.sent(label, name));
  };
  return (
    <>
      <Button
        variant="secondary"
        isAriaDisabled={access === "no"}
        {...(access === "no" && { "aria-describedby": why })}
        onClick={open}
      >
        {label}
      </Button>
      {access === "no" ? (
        <p id={why} className="vc-why">
          {strings.missingVerbOn("patch", group === "" ? plural : `${plural}.${group}`)}
        </p>
      ) : null}
      {preview === undefined ? null : (
        <Modal isOpen variant="medium" onClose={() => setPreview(undefined)} aria-labelledby="annotate-title">
          <ModalHeader title={texts.actionOn(label, target.kind, name)} labelId="annotate-title" />
          <ModalBody tabIndex={0} aria-label={label}>
            <p>{text}</p>
            {children}
            <p>{texts.preview}</p>
            <CodeBlock>
              <CodeBlockCode className="vc-raw">{`PATCH ${path}\n${JSON.stringify(body, null, 2)}`}</CodeBlockCode>
            </CodeBlock>
            {preview.said === undefined ? (
              <p>{texts.previewing}</p>
            ) : (
              <Alert
                isInline
                isLiveRegion
                variant={preview.said.isTaken ? "info" : "danger"}
                title={preview.said.text}
              />
            )}
          </ModalBody>
          <ModalFooter>
            <Button
              variant="primary"
              isDisabled={preview.said?.isTaken !== true || !isReady}
              onClick={() => void send()}
            >
              {texts.send}
            </Button>
            <Button variant="link" onClick={() => setPreview(undefined)}>
              {strings.plan.cancel}
            </Button>
          </ModalFooter>
        </Modal>
      )}
    </>
  );
}
