import { WriteGate } from "../leaderelection/write-fence.ts";

export class ManualWriteGate extends WriteGate {
  #isOpen: boolean;
  readonly #listeners: ((isOpen: boolean) => void)[] = [];

  constructor(isOpen = true) {
    super();
    this.#isOpen = isOpen;
  }

  mayWrite(): boolean {
    return this.#isOpen;
  }

  subscribe(listener: (isOpen: boolean) => void): () => void {
    this.#listeners.push(listener);
    listener(this.#isOpen);
    return () => undefined;
  }

  turn(isOpen: boolean): void {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    for (const listener of this.#listeners) listener(isOpen);
  }
}
