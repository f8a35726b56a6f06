// Buttons that patch a config. They check the user's permissions first and show the result.

import { Alert, Button, type ButtonProps } from "@patternfly/react-core";
import { configKind, type VirtPlatformConfig } from "@virt/api";
import type { ConfigPatch } from "@virt/views";
import { useCallback, useId, useState } from "react";
import type { AccessAnswer } from "../data/cluster-data.ts";
import { useAccess, useCluster } from "../data/use-cluster.ts";
import { strings } from "../strings.ts";
import { useAnnounce } from "./announcer.tsx";

function configPath(name: string): string {
  return `/apis/${configKind.apiVersion}/${configKind.plural}/${name}`;
}

export function useConfigAccess(verb: string, name: string): AccessAnswer | undefined {
  return useAccess({ group: configKind.group, resource: configKind.plural, verb, name });
}

type Refusal = { readonly status: number; readonly message: string };
type SendState = { readonly isSending: boolean; readonly refusal: Refusal | undefined };

/** `send` resolves to true if all patches succeeded. An error is shown until the next call. */
export function useSendPatches(config: Pick<VirtPlatformConfig, "metadata">) {
  const cluster = useCluster();
  const { name } = config.metadata;
  const [{ isSending, refusal }, setState] = useState<SendState>({ isSending: false, refusal: undefined });
  const send = useCallback(
    async (patches: readonly ConfigPatch[]): Promise<boolean> => {
      setState({ isSending: true, refusal: undefined });
      for (const patch of patches) {
        const answer = await cluster.patchObject(configPath(name), patch);
        if (answer.kind === "refused") {
          setState({ isSending: false, refusal: answer });
          return false;
        }
      }
      setState({ isSending: false, refusal: undefined });
      return true;
    },
    [cluster, name],
  );
  return { isSending, refusal, send };
}

type ConfigButtonProps = {
  readonly config: VirtPlatformConfig;
  readonly label: string;
  readonly ariaLabel?: string;
  readonly patches: readonly ConfigPatch[];
  readonly done: string;
  readonly variant?: ButtonProps["variant"];
};

/** A button that sends patches. If the user may not patch the config, it is disabled and shows the reason. */
export function ConfigButton({ config, label, ariaLabel, patches, done, variant = "secondary" }: ConfigButtonProps) {
  const announce = useAnnounce();
  const access = useConfigAccess("patch", config.metadata.name);
  const { isSending, refusal, send } = useSendPatches(config);
  const why = useId();
  const act = async () => {
    if (await send(patches)) announce(done);
  };
  return (
    <>
      <Button
        variant={variant}
        isAriaDisabled={access === "no" || isSending}
        isLoading={isSending}
        {...(ariaLabel !== undefined && { "aria-label": ariaLabel })}
        {...(access === "no" && { "aria-describedby": why })}
        onClick={() => void act()}
      >
        {label}
      </Button>
      {access === "no" ? (
        <p id={why} className="vc-why">
          {strings.plan.missingVerb("patch")}
        </p>
      ) : null}
      {refusal === undefined ? null : (
        <Alert isInline isLiveRegion variant="danger" title={strings.plan.refused}>
          {refusal.message}
        </Alert>
      )}
    </>
  );
}
