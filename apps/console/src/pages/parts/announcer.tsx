// Announces changes to screen readers, through a single polite live region.

import type { VirtPlatformConfig } from "@virt/api";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";
import { strings } from "../strings.ts";

type Announce = (text: string) => void;

const AnnouncerContext = createContext<Announce>(() => undefined);

export function useAnnounce(): Announce {
  return useContext(AnnouncerContext);
}

export function Announcer({ children }: { readonly children: ReactNode }) {
  const [text, setText] = useState("");
  const announce = useCallback((said: string) => setText(said), []);
  return (
    <AnnouncerContext.Provider value={announce}>
      {children}
      <div role="status" aria-live="polite" className="pf-v6-screen-reader" data-testid="announcements">
        {text}
      </div>
    </AnnouncerContext.Provider>
  );
}

/** Announces phase changes, but not the initial phases. */
export function useAnnouncedPhases(configs: readonly VirtPlatformConfig[]): void {
  const announce = useAnnounce();
  const known = useRef(new Map<string, string>());
  useEffect(() => {
    for (const { metadata, status } of configs) {
      const phase = status?.phase ?? "";
      const before = known.current.get(metadata.name);
      known.current.set(metadata.name, phase);
      if (before !== undefined && before !== phase && phase !== "") announce(strings.phaseOf(metadata.name, phase));
    }
  }, [configs, announce]);
}
