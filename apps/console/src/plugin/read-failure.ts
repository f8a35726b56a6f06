// Converts an error from the console's fetch to a status and a message. Status 0 means that there was no response.

export type FetchFailure = { readonly status: number; readonly message: string };

export function readFailure(error: unknown): FetchFailure {
  const { code, json, message } = error as {
    readonly code?: unknown;
    readonly json?: { readonly message?: string };
    readonly message?: string;
  };
  return { status: typeof code === "number" ? code : 0, message: json?.message ?? message ?? String(error) };
}
