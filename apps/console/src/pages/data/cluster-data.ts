// The interface of the pages to the cluster, independent of the shell.

import type { Impact, KubeObject } from "@virt/api";
import type { ConfigPatch, WatchedName } from "@virt/views";
import type { KindStates } from "./kind-state.ts";

/** Immutable: each change creates a new value. */
export type ClusterSnapshot = {
  readonly kinds: KindStates;
  readonly isConnected: boolean;
  /** Milliseconds: when all watched kinds were last current. Undefined: never. */
  readonly lastDataAt: number | undefined;
  /** Set if the standalone server has no session for this tab. The user must open its link again. */
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

/** `unknown`: the API server could not be asked. */
export type AccessAnswer = "yes" | "no" | "unknown";

/** The address of the API server and the user's name. Null if unknown. */
export type ClusterIdentity = { readonly server: string; readonly user: string | null };

/** The effects of enabling the platform controller. `impact` is null if no node changes. */
export type EnablementPreview = { readonly assets: readonly string[]; readonly impact: Impact | null };

export type EnablementAnswer =
  | { readonly kind: "previewed"; readonly preview: EnablementPreview }
  | { readonly kind: "failed"; readonly message: string };

export type ClusterData = {
  /** Absent in shells that cannot assess it. */
  readonly previewEnablement?: () => Promise<EnablementAnswer>;
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

/** The field manager of the console in both shells. */
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
