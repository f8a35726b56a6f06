// Reads an error of the console's fetch. Status 0: no response.

export type FetchFailure = { readonly status: number; readonly message: string };

export function readFailure(error: unknown): FetchFailure {
  const { code, json, message } = error as {
    readonly code?: unknown;
    readonly json?: { readonly message?: string };
    readonly message?: string;
  };
  return { status: typeof code === "number" ? code : 0, message: json?.message ?? message ?? String(error) };
}
