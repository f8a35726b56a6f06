// The interface through which pages access the cluster, in both the standalone and the OpenShift console.

import type { Impact, KubeObject } from "@virt/api";
import { asText, at } from "@virt/objects";
import type { AdoptionProgress, AdoptionQuery, AdoptionView, ConfigPatch, WatchedName } from "@virt/views";
import type { KindStates } from "./kind-state.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

export type ClusterSnapshot = {
  readonly kinds: KindStates;
  readonly isConnected: boolean;
  /** The last time when all watched kinds were up to date, in milliseconds. Undefined if they never were. */
  readonly lastDataAt: number | undefined;
  /** Set if this tab has no session with the standalone server. The user must open the link again. */
  readonly signedOut: SignedOut | undefined;
};

export type SignedOut = "unknown" | "idle" | "expired";

export type ClusterAnswer =
  | { readonly kind: "done"; readonly object: KubeObject }
  | { readonly kind: "refused"; readonly status: number; readonly message: string };

export type AccessQuestion = {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string;
  readonly namespace?: string;
};

/** `unknown`: the API server did not respond. */
export type AccessAnswer = "yes" | "no" | "unknown";

/** The API server's address and the user's name, each null if unknown. */
export type ClusterIdentity = { readonly server: string; readonly user: string | null };

/** The effects of enabling the platform controller. `impact` is null if no nodes are affected. */
export type EnablementPreview = { readonly assets: readonly string[]; readonly impact: Impact | null };

export type EnablementAnswer =
  | { readonly kind: "previewed"; readonly preview: EnablementPreview }
  | { readonly kind: "failed"; readonly message: string };

export type AdoptionAnswer =
  | { readonly kind: "previewed"; readonly view: AdoptionView }
  | { readonly kind: "failed"; readonly message: string };

/** Moves objects between virt-platform-autopilot and the platform controller, with the user's permissions. */
export type AdoptionData = {
  readonly preview: (query: AdoptionQuery) => Promise<AdoptionAnswer>;
  /** Runs what the preview with this digest shows. Returns the last line. */
  readonly run: (
    query: AdoptionQuery & { readonly digest: string },
    onProgress: (text: string) => void,
  ) => Promise<AdoptionProgress>;
};

export type ClusterData = {
  /** Absent in the OpenShift console, which cannot assess the impact. */
  readonly previewEnablement?: () => Promise<EnablementAnswer>;
  /** Absent in shells that cannot run it. */
  readonly adoption?: AdoptionData;
  /** Absent in shells that already show the user. */
  readonly readIdentity?: () => Promise<ClusterIdentity | undefined>;
  readonly subscribe: (listener: () => void) => () => void;
  readonly snapshot: () => ClusterSnapshot;
  /** Watches these kinds until the returned function is called. */
  readonly want: (names: readonly WatchedName[]) => () => void;
  readonly readObject: (path: string) => Promise<ClusterAnswer>;
  readonly patchObject: (path: string, patch: ConfigPatch, isDryRun?: boolean) => Promise<ClusterAnswer>;
  readonly ask: (question: AccessQuestion) => Promise<AccessAnswer>;
  readonly readUserName: () => Promise<string>;
};

/** The field manager of writes by either console. */
export const consoleManager = "virt-console";

/** The parts of cluster access that differ between the standalone and the OpenShift console. */
export type ShellCluster = {
  readonly store: SnapshotStore;
  readonly send: (method: string, path: string, content?: RequestContent) => Promise<ClusterAnswer>;
  /** Absent if the server sets the field manager. */
  readonly fieldManager?: string;
  /** Watches exactly these kinds from now on, and stops all other watches. */
  readonly watch: (names: readonly WatchedName[]) => void;
};

export type RequestContent = { readonly type: string; readonly body: unknown };

export function createClusterData({ store, send, fieldManager, watch }: ShellCluster): ClusterData {
  const post = (path: string, body: object) => send("POST", path, { type: "application/json", body });
  return {
    subscribe: (listener) => store.subscribe(listener),
    snapshot: () => store.snapshot,
    want: countWanted((names) => {
      store.dropUnwatched(names);
      watch(names);
    }),
    readObject: (path) => send("GET", path),
    patchObject: (path, { type, body }, isDryRun = false) => {
      const query = new URLSearchParams({ ...(fieldManager && { fieldManager }), ...(isDryRun && { dryRun: "All" }) });
      const place = query.size === 0 ? path : `${path}?${query.toString()}`;
      return send("PATCH", place, { type: `application/${type}-patch+json`, body });
    },
    ask: async (resourceAttributes) => {
      const kind = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" };
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      const answer = await post(path, { ...kind, spec: { resourceAttributes } });
      if (answer.kind === "refused") return "unknown";
      return at(answer.object, "status", "allowed") === true ? "yes" : "no";
    },
    readUserName: async () => {
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const answer = await post("/apis/authentication.k8s.io/v1/selfsubjectreviews", review);
      return (answer.kind === "done" && asText(at(answer.object, "status", "userInfo", "username"))) || "";
    },
  };
}

/** Reports all changes from one event-loop turn together, so that switching pages keeps the watches that both pages use. */
function countWanted(onChange: (names: readonly WatchedName[]) => void): ClusterData["want"] {
  const wanted: (readonly WatchedName[])[] = [];
  let reported = "";
  const report = () =>
    queueMicrotask(() => {
      const names = [...new Set(wanted.flat())].toSorted();
      if (names.join() === reported) return;
      reported = names.join();
      onChange(names);
    });
  return (names) => {
    wanted.push(names);
    report();
    return () => {
      wanted.splice(wanted.indexOf(names), 1);
      report();
    };
  };
}
