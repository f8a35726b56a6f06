// The address of the API server and the credentials of the client.

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

/** The address of an API server and the credentials for it, as `findAccess` returns them. */
export type Access = {
  /** Has no trailing slash. May include a path. */
  readonly server: string;
  readonly authority?: Material;
  readonly isInsecure: boolean;
  /** The name that the server's certificate must contain. Defaults to the host of `server`. */
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
  /** The origin of the settings, files or a pod, for messages. */
  readonly source: string;
};

/** An error with a one-line message for the user. */
export class AccessError extends Error {
  readonly code = "access";
}

/** Neither a kubeconfig nor a pod's ServiceAccount specifies a cluster. */
export class NoClusterError extends AccessError {}
