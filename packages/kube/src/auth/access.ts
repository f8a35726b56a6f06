// Where the API server is and who we are to it, as data. Read from a kubeconfig or from the pod's own files.

/** PEM text, in place or in a file that may be renewed. */
export type Material = { readonly data: string } | { readonly file: string };

export type Bearer =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "token-file"; readonly file: string }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | { readonly kind: "exec"; readonly plugin: ExecPlugin };

/** A program that prints credentials, as client.authentication.k8s.io defines it. */
export type ExecPlugin = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  /** The folder of the kubeconfig, against which a command with a slash in it is resolved. */
  readonly folder: string;
};

/** Where the API server is and who we are to it. `findAccess` makes it. */
export type Access = {
  /** Without a slash at its end; may carry a path. */
  readonly server: string;
  readonly authority?: Material;
  readonly isInsecure: boolean;
  /** The name that the server's certificate must carry, where it is not the host's. */
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
  /** The name of the kubeconfig's context. */
  readonly context?: string;
  /** For messages: where all this was read. */
  readonly source: string;
};

/** Something is wrong with what a person wrote; the message is one line for that person. */
export class AccessError extends Error {
  readonly code = "access";
}

/** No kubeconfig and no pod names a cluster. */
export class NoClusterError extends AccessError {}
