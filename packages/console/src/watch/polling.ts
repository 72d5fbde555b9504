/** Milliseconds between two looks, and after one that failed. The client waits as long as an answer of 429 asks for. */
const EACH = 4000;
const AFTER_FAULT = 30_000;

/** When a query is asked again; never while the page is out of sight. */
export const POLLED = {
  refetchInterval: ({ state }: { readonly state: { readonly error: unknown } }) => (state.error ? AFTER_FAULT : EACH),
  refetchIntervalInBackground: false,
} as const;
