/** Milliseconds. */
export type SilenceClock = { readonly wall: () => number; readonly monotonic: () => number };

/** Measures the time since the last call of `restart`, even if the machine was suspended. */
export class Silence {
  readonly #clock: SilenceClock;
  #since = { wall: 0, monotonic: 0 };

  constructor(clock: SilenceClock) {
    this.#clock = clock;
    this.restart();
  }

  restart(): void {
    this.#since = { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() };
  }

  /** When the silence began. This is a new object after each restart. */
  get since(): { readonly wall: number } {
    return this.#since;
  }

  /** The duration of the silence. Also uses wall time, which continues while the machine sleeps, but can be set back. */
  get ms(): number {
    return Math.max(this.#clock.wall() - this.#since.wall, this.#clock.monotonic() - this.#since.monotonic);
  }
}
