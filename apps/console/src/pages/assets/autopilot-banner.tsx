// Shows which of the two platform operators manages the objects, and how to move them.

import { Alert, Button } from "@patternfly/react-core";
import type { PlatformOperators } from "@virt/views";
import { useState } from "react";
import { useCluster } from "../data/use-cluster.ts";
import { ShowCommand } from "../parts/states.tsx";
import { strings } from "../strings.ts";
import { AdoptionDialog } from "./adoption-dialog.tsx";

const texts = strings.assets;

/** The dialog outlives the banner that opened it, because an adoption changes which banner applies. */
export function AutopilotBanner({ operators }: { readonly operators: PlatformOperators | undefined }) {
  const { adoption } = useCluster();
  const [open, setOpen] = useState<"adopt" | "back" | undefined>();
  return (
    <>
      <BannerOf operators={operators} canMove={adoption !== undefined} onOpen={setOpen} />
      {open === undefined || adoption === undefined ? null : (
        <AdoptionDialog isBack={open === "back"} adoption={adoption} close={() => setOpen(undefined)} />
      )}
    </>
  );
}

type MoveProps = {
  /** False in a shell that cannot run an adoption. It shows the command instead. */
  readonly canMove: boolean;
  readonly onOpen: (what: "adopt" | "back") => void;
};

function BannerOf({ operators, ...move }: { readonly operators: PlatformOperators | undefined } & MoveProps) {
  if (operators?.autopilot === "Off" && operators.isActive)
    return (
      <Alert isInline variant="info" title={texts.autopilotOff} data-testid="autopilot-banner">
        <MoveObjects what="back" {...move} />
      </Alert>
    );
  if (operators?.autopilot !== "Active" || operators.autopilotObjects === 0) return null;
  return (
    <Alert isInline variant="info" title={texts.autopilot(operators.autopilotObjects)} data-testid="autopilot-banner">
      <p>{texts.autopilotText}</p>
      <MoveObjects what="adopt" {...move} />
    </Alert>
  );
}

function MoveObjects({ what, canMove, onOpen }: { readonly what: "adopt" | "back" } & MoveProps) {
  if (canMove)
    return (
      <Button variant="secondary" onClick={() => onOpen(what)}>
        {what === "back" ? texts.previewReturn : texts.previewAdoption}
      </Button>
    );
  return (
    <>
      <p>{texts.adoptElsewhere}</p>
      <ShowCommand text={what === "back" ? texts.returnCommand : texts.adoptCommand} />
    </>
  );
}
