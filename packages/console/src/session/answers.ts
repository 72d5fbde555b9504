import type { ConnectOptions } from '@countersign/client';

type Fetch = NonNullable<ConnectOptions['fetch']>;

/** Answers whose text is kept. */
const MOST_ANSWERS = 100;

/** Sends requests, and keeps the text of what was answered last: what fails to verify is shown by it, step by step. */
export class Answers {
  readonly #texts = new Map<string, Promise<string>>();

  readonly fetch: Fetch = async (url, init) => {
    // biome-ignore lint/style/noRestrictedGlobals: every request of the page goes through here
    const response = await fetch(url, init);
    if (init.method === 'GET' && response.ok) {
      this.#texts.delete(url);
      this.#texts.set(
        url,
        response
          .clone()
          .text()
          .catch(() => ''),
      );
      if (this.#texts.size > MOST_ANSWERS) this.#texts.delete(this.#texts.keys().next().value as string);
    }
    return response;
  };

  /** The text of the last answer from a URL. */
  async find(url: string): Promise<string | undefined> {
    return this.#texts.get(url);
  }
}
