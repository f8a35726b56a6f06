// Data types for the address of the API server and the client's credentials.

export type Material = { readonly data: string } | { readonly file: string };

export type Bearer =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "token-file"; readonly file: string }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | { readonly kind: "exec"; readonly plugin: ExecPlugin };

export type ExecPlugin = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  /** The folder of the kubeconfig. A `command` that contains a slash is relative to it. */
  readonly folder: string;
};

/** Created by `findAccess`. */
export type Access = {
  /** Has no trailing slash. May include a path. */
  readonly server: string;
  readonly authority?: Material;
  readonly isInsecure: boolean;
  /** The name to verify in the server's certificate. Absent: the host of `server`. */
  readonly serverName?: string;
  readonly proxy?: string;
  readonly certificate?: Material;
  readonly key?: Material;
  readonly bearer?: Bearer;
  readonly impersonate?: {
    readonly user: string;
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
  };
  readonly namespace?: string;
  readonly context?: string;
  /** For messages: the files or the pod that the settings came from. */
  readonly source: string;
};

/** The message is a single line for the user. */
export class AccessError extends Error {
  readonly code = "access";
}

/** Thrown if neither a kubeconfig nor a pod names a cluster. */
export class NoClusterError extends AccessError {}
