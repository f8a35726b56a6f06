// The session key. It arrives in the URL fragment and is shared only with browser tabs on this origin.

const storageName = "virt-console-key";
const channelName = "virt-console-session";
/** How long a tab without a key waits for other tabs to share theirs. They usually reply within milliseconds. */
const answerMs = 300;

type KeyMessage = { readonly type: "ask" } | { readonly type: "key"; readonly key: string; readonly isNew: boolean };

export class SessionKey {
  #key: string | undefined;
  readonly #channel = new BroadcastChannel(channelName);
  #onKey: (() => void) | undefined;

  constructor() {
    this.#key = sessionStorage.getItem(storageName) ?? undefined;
    this.#channel.addEventListener("message", ({ data }: MessageEvent<KeyMessage>) => this.#hear(data));
  }

  get value(): string {
    return this.#key ?? "";
  }

  /** Call it once before the first render. Takes the key from the address, or asks other tabs. */
  async obtain(): Promise<void> {
    const [, key] = /^#key=([0-9a-f]{64})$/.exec(location.hash) ?? [];
    if (key === undefined) return this.#key === undefined ? this.#askOthers() : undefined;
    history.replaceState(null, "", "/");
    this.#take(key);
    this.#say({ type: "key", key, isNew: true });
  }

  /** Drops a key that the server rejected and asks other tabs for a newer one. */
  async replace(): Promise<void> {
    this.#key = undefined;
    sessionStorage.removeItem(storageName);
    await this.#askOthers();
  }

  #askOthers(): Promise<void> {
    this.#say({ type: "ask" });
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, answerMs);
      this.#onKey = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #hear(message: KeyMessage): void {
    if (message.type === "ask") {
      if (this.#key !== undefined) this.#say({ type: "key", key: this.#key, isNew: false });
    } else if (this.#key === undefined || message.isNew) this.#take(message.key);
  }

  #take(key: string): void {
    this.#key = key;
    sessionStorage.setItem(storageName, key);
    this.#onKey?.();
    this.#onKey = undefined;
  }

  #say(message: KeyMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches its own origin only
    this.#channel.postMessage(message);
  }
}
