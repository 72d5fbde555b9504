/** The variable by which a process knows that it is the one for operators. */
export const OPERATORS_PROCESS = 'COUNTERSIGN_OPERATORS_PROCESS';

/** Secrets travel this way, since other users can read the environment. */
export type ToOperators = { readonly type: 'serve'; readonly databaseUrl: string } | { readonly type: 'stop' };

export type FromOperators =
  /** It listens to messages; earlier ones would be lost. */
  | { readonly type: 'ready' }
  | { readonly type: 'serving'; readonly url: string }
  | { readonly type: 'failed'; readonly why: string };
