// The Approve and Reject buttons. Disabled if the plan on the page is out of date, or the user lacks permission.

import {
  Alert,
  Button,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  TextArea,
} from "@patternfly/react-core";
import { approvalAttempts, isPlanNamed, planName, readRejection, rejectionPatch, rejectionText } from "@virt/views";
import { useId, useState } from "react";
import { consoleManager } from "../data/cluster-data.ts";
import { useCluster } from "../data/use-cluster.ts";
import { useAnnounce } from "../parts/announcer.tsx";
import { useConfigAccess, useSendPatches } from "../parts/config-actions.tsx";
import { strings } from "../strings.ts";
import { ExecutionSettings } from "./plan-options.tsx";
import { nodesInButton, type ShownPlan } from "./shown-plan.ts";

const texts = strings.plan;

type PlanDecisionProps = { readonly plan: ShownPlan; readonly isCurrent: boolean };

export function PlanDecision({ plan, isCurrent }: PlanDecisionProps) {
  const { config, planHash } = plan;
  const { name } = config.metadata;
  const announce = useAnnounce();
  const rights = { patch: useConfigAccess("patch", name), approve: useConfigAccess("approve", name) };
  const { isSending, refusal, send } = useSendPatches(config);
  const [asked, setAsked] = useState<"approve" | "reject" | undefined>();
  const why = useId();
  const hash = planName(planHash);
  const missing = rights.patch === "no" ? "patch" : rights.approve === "no" ? "approve" : undefined;
  const isAsking = rights.patch === undefined || rights.approve === undefined;
  const isApproved =
    config.spec.action === "Apply" &&
    isPlanNamed(config.spec.approvedPlan, planHash) &&
    config.status?.review?.forced !== true;
  const rejection = readRejection(config);
  const cluster = useCluster();
  const decider = async () => ({
    user: await cluster.readUserName(),
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    client: consoleManager,
  });
  const approve = async () => {
    setAsked(undefined);
    for (const patches of approvalAttempts(config, planHash, await decider()))
      if (await send(patches)) return announce(texts.approved(hash));
  };
  const reject = async (reason: string) => {
    setAsked(undefined);
    const rejection = { reason, by: await decider() };
    if (await send([rejectionPatch(config, planHash, rejection)])) announce(texts.rejected(hash));
  };
  const label = texts.approve(hash, nodesInButton(plan));
  const reason = reasonText(missing, isAsking, isApproved, rights.patch === "unknown" || rights.approve === "unknown");
  return (
    <div className="vc-decision" data-testid="decision">
      {rejection === undefined ? null : (
        <Alert
          isInline
          variant="info"
          title={texts.wasRejected(planName(rejection.planHash), rejectionText(rejection))}
        />
      )}
      {refusal === undefined ? null : (
        // The patch tests the plan hash on the page. 422 means that the config now has a different plan.
        <Alert isInline isLiveRegion variant="danger" title={refusal.status === 422 ? texts.moved : texts.refused}>
          {refusal.message}
        </Alert>
      )}
      <div className="vc-actions">
        <Button
          variant="primary"
          isAriaDisabled={!isCurrent || missing !== undefined || isAsking || isSending || isApproved}
          isLoading={isSending}
          aria-describedby={why}
          onClick={() => setAsked("approve")}
        >
          {label}
        </Button>
        <Button
          variant="secondary"
          isAriaDisabled={!isCurrent || rights.patch !== "yes" || isSending}
          aria-describedby={why}
          onClick={() => setAsked("reject")}
        >
          {texts.reject}
        </Button>
      </div>
      <p id={why} className="vc-why">
        {reason}
      </p>
      {asked === "approve" ? (
        <ApproveDialog
          plan={plan}
          label={label}
          isCurrent={isCurrent}
          approve={approve}
          close={() => setAsked(undefined)}
        />
      ) : null}
      {asked === "reject" ? (
        <RejectDialog isCurrent={isCurrent} reject={reject} close={() => setAsked(undefined)} />
      ) : null}
    </div>
  );
}

function reasonText(missing: string | undefined, isAsking: boolean, isApproved: boolean, isUnknown: boolean): string {
  if (missing !== undefined) return texts.missingVerb(missing);
  if (isAsking) return texts.askingVerb;
  if (isApproved) return texts.wasApproved;
  return isUnknown ? texts.unknownVerb : "";
}

type ApproveDialogProps = {
  readonly plan: ShownPlan;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly approve: () => Promise<void>;
  readonly close: () => void;
};

function ApproveDialog({ plan, label, isCurrent, approve, close }: ApproveDialogProps) {
  const rejection = readRejection(plan.config);
  return (
    <Modal isOpen variant="medium" onClose={close} aria-labelledby="approve-title" aria-describedby="approve-body">
      <ModalHeader title={texts.approveTitle} labelId="approve-title" />
      <ModalBody id="approve-body">
        <p>
          {plan.config.metadata.name},{" "}
          <code className="vc-hash" title={plan.planHash}>
            {planName(plan.planHash)}
          </code>
        </p>
        {rejection === undefined ? null : (
          <Alert
            isInline
            variant="warning"
            title={texts.wasRejected(planName(plan.planHash), rejectionText(rejection))}
          />
        )}
        {plan.impact === undefined ? null : <p>{plan.impact.summary}</p>}
        <ExecutionSettings config={plan.config} />
        <p>{texts.approveText}</p>
        {isCurrent ? null : <Alert isInline variant="warning" title={texts.changed} />}
      </ModalBody>
      <ModalFooter>
        <Button variant="primary" isDisabled={!isCurrent} onClick={() => void approve()}>
          {label}
        </Button>
        <Button variant="link" onClick={close}>
          {texts.cancel}
        </Button>
      </ModalFooter>
    </Modal>
  );
}

type RejectDialogProps = {
  readonly isCurrent: boolean;
  readonly reject: (reason: string) => Promise<void>;
  readonly close: () => void;
};

function RejectDialog({ isCurrent, reject, close }: RejectDialogProps) {
  const [reason, setReason] = useState("");
  return (
    <Modal isOpen variant="small" onClose={close} aria-labelledby="reject-title" aria-describedby="reject-body">
      <ModalHeader title={texts.rejectTitle} labelId="reject-title" />
      <ModalBody id="reject-body">
        <p>{texts.rejectText}</p>
        <Form>
          <FormGroup label={texts.rejectReason} fieldId="reject-reason">
            <TextArea
              id="reject-reason"
              value={reason}
              maxLength={160}
              resizeOrientation="vertical"
              onChange={(_, value) => setReason(value)}
            />
          </FormGroup>
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button variant="danger" isDisabled={!isCurrent} onClick={() => void reject(reason)}>
          {texts.rejectSure}
        </Button>
        <Button variant="link" onClick={close}>
          {texts.cancel}
        </Button>
      </ModalFooter>
    </Modal>
  );
}
