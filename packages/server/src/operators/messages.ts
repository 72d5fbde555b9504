/** The variable by which a process knows that it is the one for operators. */
export const OPERATORS_PROCESS = 'COUNTERSIGN_OPERATORS_PROCESS';

/**
 * Messages to the process for operators. The URL of the embedded PostgreSQL, which holds a password, is sent this way, so that it is in no
 * environment. Settings are inherited.
 */
export type ToOperators =
  | { readonly type: 'serve'; readonly databaseUrl: string }
  /** Comes with a connection, unless that was closed on the way. */
  | { readonly type: 'connection' }
  | { readonly type: 'stop' };

export type FromOperators =
  /** It listens to messages; earlier ones would be lost. */
  | { readonly type: 'ready' }
  | { readonly type: 'serving'; readonly url: string }
  /** It has the connection that was sent last. */
  | { readonly type: 'taken' }
  /** Its event loop comes round: sent once a second. */
  | { readonly type: 'alive' }
  | { readonly type: 'failed'; readonly why: string };
