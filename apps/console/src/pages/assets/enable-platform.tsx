// Enables the platform controller after showing the combined impact of all its writes.

import { Alert } from "@patternfly/react-core";
import { activationAnnotation } from "@virt/api";
import { useEffect, useState } from "react";
import type { EnablementAnswer } from "../data/cluster-data.ts";
import { useCluster } from "../data/use-cluster.ts";
import { ShowCommand } from "../parts/states.tsx";
import { AssessedImpact } from "../plan/impact-view.tsx";
import { strings } from "../strings.ts";
import { AnnotationAction } from "./annotation-action.tsx";
import type { NamedTarget } from "./target-name.ts";

const texts = strings.assets;

export function EnablePlatform({ hco }: { readonly hco: NamedTarget }) {
  const { previewEnablement } = useCluster();
  const [answer, setAnswer] = useState<EnablementAnswer | undefined>();
  // The OpenShift console cannot assess the impact, so this shows the command instead.
  if (previewEnablement === undefined)
    return (
      <>
        <p>{texts.enableElsewhere}</p>
        <ShowCommand text={strings.signedOut.command} />
      </>
    );
  return (
    <AnnotationAction
      target={hco}
      label={texts.enable}
      text={texts.enableText}
      annotations={{ [activationAnnotation]: "true" }}
      isReady={answer?.kind === "previewed"}
    >
      <CombinedImpact answer={answer} preview={previewEnablement} onAnswer={setAnswer} />
    </AnnotationAction>
  );
}

type CombinedImpactProps = {
  readonly answer: EnablementAnswer | undefined;
  readonly preview: () => Promise<EnablementAnswer>;
  readonly onAnswer: (answer: EnablementAnswer | undefined) => void;
};

function CombinedImpact({ answer, preview, onAnswer }: CombinedImpactProps) {
  useEffect(() => {
    let isCurrent = true;
    const assess = async () => {
      onAnswer(undefined);
      const next = await preview();
      if (isCurrent) onAnswer(next);
    };
    void assess();
    return () => {
      isCurrent = false;
    };
  }, [preview, onAnswer]);
  if (answer === undefined) return <p>{texts.assessing}</p>;
  if (answer.kind === "failed")
    return <Alert isInline isLiveRegion variant="danger" title={texts.notPreviewed(answer.message)} />;
  const { assets, impact } = answer.preview;
  return (
    <div data-testid="combined-impact">
      <p>{texts.applies(assets)}</p>
      {impact === null ? <p>{strings.plan.noNodes}</p> : <AssessedImpact impact={impact} />}
    </div>
  );
}
