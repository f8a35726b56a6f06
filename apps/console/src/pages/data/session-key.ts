// The second secret of a session: it comes in the fragment of the address, stays in the tab's storage, and is shared with tabs of this origin alone.

const storageName = "virt-console-key";
const channelName = "virt-console-session";
/** A tab that is opened without the link asks the others first. They answer within milliseconds. */
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

  /** Empty if the tab has none. */
  get value(): string {
    return this.#key ?? "";
  }

  /** To be called once, before the first page is shown: takes the key out of the address, and asks other tabs if there is none. */
  async obtain(): Promise<void> {
    const [, key] = /^#key=([0-9a-f]{64})$/.exec(location.hash) ?? [];
    if (key === undefined) return this.#key === undefined ? this.#askOthers() : undefined;
    history.replaceState(null, "", "/");
    this.#take(key);
    this.#say({ type: "key", key, isNew: true });
  }

  /** The server does not accept the key: it is not offered to other tabs, and theirs may be newer. */
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
