// A fake of the console's SDK: two components, and a fetch that sends the CSRF header and throws on errors.

class HttpError extends Error {
  readonly code: number;
  readonly json: unknown;

  constructor(message: string, code: number, json: unknown) {
    super(message);
    this.code = code;
    this.json = json;
  }
}

export async function consoleFetch(url: string, options: RequestInit = {}): Promise<Response> {
  const token = /(?:^|; )csrf-token=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  const isRead = options.method === undefined || options.method === "GET";
  const headers = {
    ...(options.headers as Record<string, string> | undefined),
    ...(!isRead && { "X-CSRFToken": token }),
  };
  const response = await fetch(url, { ...options, headers });
  if (response.ok) return response;
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const json = isJson ? ((await response.json()) as { readonly message?: string }) : undefined;
  throw new HttpError(json?.message ?? response.statusText, response.status, json);
}

export function ResourceYAMLEditor({ initialResource }: { readonly initialResource: object }) {
  return <pre data-testid="editor">{JSON.stringify(initialResource)}</pre>;
}

export function ResourceEventStream({ resource }: { readonly resource: object }) {
  return <p data-testid="events">{JSON.stringify(resource).length}</p>;
}
