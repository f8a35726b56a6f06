// Shows the cluster and the user in the masthead.

import { useEffect, useState } from "react";
import type { ClusterIdentity } from "../data/cluster-data.ts";
import { useCluster, useSnapshot } from "../data/use-cluster.ts";
import { strings } from "../strings.ts";

const texts = strings.identity;

export function IdentityText() {
  const { readIdentity } = useCluster();
  // After a reconnect, the server may use another cluster or user.
  const { isConnected } = useSnapshot();
  const [identity, setIdentity] = useState<ClusterIdentity | undefined>();
  useEffect(() => {
    let isCurrent = true;
    const reading = async () => {
      const next = isConnected ? await readIdentity?.() : undefined;
      if (isCurrent) setIdentity(next);
    };
    void reading();
    return () => {
      isCurrent = false;
    };
  }, [readIdentity, isConnected]);
  if (identity === undefined) return null;
  return (
    <dl className="vc-identity" data-testid="identity">
      <div>
        <dt>{texts.cluster}</dt>
        <dd>{hostOf(identity.server)}</dd>
      </div>
      <div>
        <dt>{texts.user}</dt>
        <dd>{identity.user ?? texts.unknown}</dd>
      </div>
    </dl>
  );
}

function hostOf(server: string): string {
  return URL.canParse(server) ? new URL(server).host : server;
}
