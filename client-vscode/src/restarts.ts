// How often a server that broke off is started anew by itself. Pure: the caller brings the time.

export const MAX_RESTARTS = 3;
export const WINDOW_MS = 3 * 60 * 1000;

/** Remembers the restarts of the last three minutes. */
export class Restarts {
  #times: number[] = [];

  /** Counts a restart at `now` (milliseconds) and says whether it may take place. */
  take(now: number): boolean {
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS);
    if (this.#times.length >= MAX_RESTARTS) {
      return false;
    }
    this.#times.push(now);
    return true;
  }

  /** Forgets all: a person asked for a new start. */
  clear(): void {
    this.#times = [];
  }
}
