// The next step for a profile: a sentence and buttons. The command is shown on demand.

import { Button, type ButtonProps } from "@patternfly/react-core";
import type { VirtPlatformConfig } from "@virt/api";
import { type ProfileRow, planPatches } from "@virt/views";
import { nextActionOf, type PageAction } from "../data/next-action.ts";
import { hrefOf } from "../routes.ts";
import { strings } from "../strings.ts";
import { ConfigButton } from "./config-actions.tsx";
import { ShowCommand } from "./states.tsx";

type NextStepProps = { readonly config: VirtPlatformConfig; readonly row: ProfileRow };

function actionOf({ config, row }: NextStepProps) {
  return nextActionOf({ row, hasRollout: config.status?.rollout !== undefined });
}

export function NextStepText(props: NextStepProps) {
  const { text, command } = actionOf(props);
  return (
    <div className="vc-next">
      <p>
        <strong>{strings.next}</strong> {text}
      </p>
      {command === undefined ? null : <ShowCommand text={command} />}
    </div>
  );
}

export function NextStepButtons(props: NextStepProps) {
  const { actions, hasPrimary } = actionOf(props);
  return (
    <>
      {actions.map((action, at) => (
        <ActionButton
          key={action}
          {...props}
          action={action}
          variant={at === 0 && hasPrimary ? "primary" : at <= 1 ? "secondary" : "link"}
        />
      ))}
    </>
  );
}

type ActionButtonProps = NextStepProps & {
  readonly action: PageAction;
  readonly variant: NonNullable<ButtonProps["variant"]>;
};

function ActionButton({ config, row, action, variant }: ActionButtonProps) {
  const { name } = row;
  const texts = strings.overview;
  if (action === "draft" || action === "replan")
    return (
      <ConfigButton
        config={config}
        label={action === "draft" ? texts.start : strings.drift.replan}
        ariaLabel={action === "draft" ? texts.startFor(name) : strings.drift.replanOf(name)}
        patches={planPatches(config)}
        done={texts.started(name)}
        variant={variant}
      />
    );
  const link = {
    plan: { label: texts.open, ariaLabel: texts.openFor(name), href: hrefOf({ page: "plan", name }) },
    rollout: {
      label: texts.rollout,
      ariaLabel: `${texts.rollout}: ${name}`,
      href: hrefOf({ page: "rollout", name }),
    },
    drift: { label: texts.showDrift, ariaLabel: `${texts.showDrift}: ${name}`, href: hrefOf({ page: "drift" }) },
  }[action];
  return (
    <Button component="a" variant={variant} href={link.href} aria-label={link.ariaLabel}>
      {link.label}
    </Button>
  );
}
