import { Alert } from "@patternfly/react-core";
import type { SharedReason } from "../data/shared-reasons.ts";
import { useObjects } from "../data/use-cluster.ts";
import { hrefOf } from "../routes.ts";
import { strings } from "../strings.ts";
import { EnablePlatform } from "./enable-platform.tsx";
import type { NamedTarget } from "./target-name.ts";

const texts = strings.assets;

type SharedReasonsProps = { readonly shared: readonly SharedReason[]; readonly hco: NamedTarget | undefined };

export function SharedReasons({ shared, hco }: SharedReasonsProps) {
  return (
    <>
      {shared.map((reason) => (
        <Alert
          key={`${reason.status}${reason.why}`}
          isInline
          variant="info"
          title={
            reason.status === "NotActivated"
              ? texts.sharedDisabled(reason.assets)
              : texts.shared(reason.assets, reason.why)
          }
          data-testid={`shared-${reason.status}`}
        >
          <ReasonAction reason={reason} hco={hco} />
        </Alert>
      ))}
    </>
  );
}

function ReasonAction({ reason, hco }: { readonly reason: SharedReason; readonly hco: NamedTarget | undefined }) {
  const configs = useObjects("configs");
  if (reason.status === "NotActivated" && hco !== undefined) return <EnablePlatform hco={hco} />;
  const plan = configs.find(({ metadata }) => reason.why.includes(metadata.name));
  if (plan === undefined) return null;
  return <a href={hrefOf({ page: "plan", name: plan.metadata.name })}>{texts.governed}</a>;
}
