import {
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
} from "@patternfly/react-core";
import { planName, profileRow } from "@virt/views";
import type { ReactNode } from "react";
import { useNow } from "../data/use-cluster.ts";
import { TimeAgo } from "../parts/age-text.tsx";
import { PhaseLabel, SeverityLabel } from "../parts/labels.tsx";
import { strings } from "../strings.ts";
import type { ShownPlan } from "./shown-plan.ts";

const texts = strings.plan;

export function PlanHead({ plan: { config, planHash, review, severity } }: { readonly plan: ShownPlan }) {
  const now = useNow();
  const { status = {} } = config;
  const { isStalled, planSince } = profileRow(config, now);
  return (
    <DescriptionList className="vc-facts" isCompact columnModifier={{ default: "1Col", md: "2Col", xl: "3Col" }}>
      <Fact term={strings.profile}>
        <strong>{config.metadata.name}</strong> <PhaseLabel phase={status.phase} isStalled={isStalled} />
      </Fact>
      <Fact term={texts.hash}>
        <code className="vc-hash" data-testid="plan-hash" title={planHash}>
          {planName(planHash)}
        </code>
      </Fact>
      {severity === undefined ? null : (
        <Fact term={texts.severity}>
          <SeverityLabel severity={severity} />
        </Fact>
      )}
      {planSince === undefined ? null : (
        <Fact term={texts.drafted}>
          <TimeAgo time={planSince} />
        </Fact>
      )}
      {review === undefined ? null : (
        <Fact term={texts.why}>
          {texts.reasons[review.reason]}
          {review.message === undefined ? "" : `: ${review.message}`}
        </Fact>
      )}
      {status.operatorVersion === undefined ? null : <Fact term={texts.version}>{status.operatorVersion}</Fact>}
    </DescriptionList>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <DescriptionListGroup>
      <DescriptionListTerm>{term}</DescriptionListTerm>
      <DescriptionListDescription>{children}</DescriptionListDescription>
    </DescriptionListGroup>
  );
}
