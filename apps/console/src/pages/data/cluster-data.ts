// What pages need of the cluster, whichever shell they run in: watched kinds, one object, a patch, and what the user may do.

import type { Impact, KubeObject } from "@virt/api";
import type { ConfigPatch, WatchedName } from "@virt/client";
import type { KindStates } from "./kind-state.ts";

/** Immutable: another value after each change. */
export type ClusterSnapshot = {
  readonly kinds: KindStates;
  /** Whether the stream is up. */
  readonly isConnected: boolean;
  /** Milliseconds: when all that is watched was last known to be current. Undefined: it never was. */
  readonly lastDataAt: number | undefined;
  /** Set if the console's own server has no session for this tab: its link must be opened again. */
  readonly signedOut: SignedOut | undefined;
};

export type SignedOut = "unknown" | "idle" | "expired";

/** An object by its path at the API server, such as `/apis/<group>/<version>/<plural>/<name>`. */
export type ClusterAnswer =
  | { readonly kind: "done"; readonly object: KubeObject }
  | { readonly kind: "refused"; readonly status: number; readonly message: string };

/** What a right is asked for. */
export type AccessQuestion = {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string;
  readonly namespace?: string;
};

/** `unknown`: the API server could not be asked. */
export type AccessAnswer = "yes" | "no" | "unknown";

/** The API server's address, and the user's name there; null: not known. */
export type ClusterIdentity = { readonly server: string; readonly user: string | null };

/** What enabling the platform controller would do. `impact` is null if no node changes. */
export type EnablementPreview = { readonly assets: readonly string[]; readonly impact: Impact | null };

export type EnablementAnswer =
  | { readonly kind: "previewed"; readonly preview: EnablementPreview }
  | { readonly kind: "failed"; readonly message: string };

export type ClusterData = {
  /** Absent in shells that cannot assess it. */
  readonly previewEnablement?: () => Promise<EnablementAnswer>;
  /** Absent in shells whose own head shows it. */
  readonly readIdentity?: () => Promise<ClusterIdentity | undefined>;
  readonly subscribe: (listener: () => void) => () => void;
  readonly snapshot: () => ClusterSnapshot;
  /** Watches these kinds until the returned function is called. */
  readonly want: (names: readonly WatchedName[]) => () => void;
  readonly readObject: (path: string) => Promise<ClusterAnswer>;
  readonly patchObject: (path: string, patch: ConfigPatch, isDryRun?: boolean) => Promise<ClusterAnswer>;
  readonly ask: (question: AccessQuestion) => Promise<AccessAnswer>;
  /** The name that the API server has for the user; empty if it does not tell. */
  readonly readUserName: () => Promise<string>;
};

/** The field manager of the console's writes, whichever shell it runs in. */
export const consoleManager = "virt-console";

export const userReviewPath = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
export const userReview = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };

export function readUserAnswer(answer: ClusterAnswer): string {
  if (answer.kind === "refused") return "";
  const { userInfo } = (answer.object["status"] ?? {}) as { readonly userInfo?: { readonly username?: string } };
  return userInfo?.username ?? "";
}

export const accessReviewPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

export function accessReviewOf(resourceAttributes: AccessQuestion) {
  const kind = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" };
  return { ...kind, spec: { resourceAttributes } };
}

export function readAccessAnswer(answer: ClusterAnswer): AccessAnswer {
  if (answer.kind === "refused") return "unknown";
  const { allowed } = (answer.object["status"] ?? {}) as { readonly allowed?: boolean };
  return allowed === true ? "yes" : "no";
}
