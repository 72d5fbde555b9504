/** What to try when there is no answer. */
export const TO_REACH =
  'start the server (`countersign serve` here), or mend its address (`countersign connect <url>`)';

/** What to do about a write that may have been done. */
export const LOOK_BEFORE = 'look whether the write was done before you repeat it';

/** What to try when the server refuses for a reason (interface/errors#reasons). */
const ADVICE_BY_REASON: Readonly<Record<string, string>> = {
  'auth.unauthorized':
    'leave out --anonymous or choose a key with --signer; repeat the command when a token has just expired',
  'auth.forbidden':
    '`countersign access explain <kind>/<handle> <action>` tells which rules grant it. Reading by token needs a rule with ' +
    '`bearer`, a rule without `record` grants nothing below the ledger',
  'crypto.hash-invalid': 'leave the hash out: it is computed here',
  'crypto.parent-hash-invalid': 'somebody changed the record meanwhile: look at it again, then repeat the change',
  'crypto.signature-invalid': 'the record may have changed since it was read: repeat the command',
  'crypto.signature-missing': 'choose a key with --signer',
  'api.body-malformed': 'mend the JSON; the largest body has 1 MiB',
  'api.query-malformed': 'see docs/interface/lists.md for what a kind is filtered by',
  'api.route-not-found': 'check the ledger (`countersign status`) and the address of the server, which ends in /v2',
  'api.no-tenant-allowed': 'leave the ledger out',
  'api.request-timeout': 'repeat the command; look first whether a write was done',
  'api.rate-limit-exceeded': 'wait a little, then repeat the command',
  'api.unexpected-error': 'repeat the command; the log of the server has the cause',
  'record.not-found': 'check the handle and the ledger',
  'record.relation-not-found': 'create the record that is named first, or mend its handle',
  'record.duplicated':
    'choose another handle, or use the record that is there (a ledger: `countersign ledger select <handle>`)',
  'record.schema-invalid': 'mend the members named above; `--help` lists those of the kind',
  'record.drop-rejected': 'drop what depends on it first, or empty the wallet',
  'core.limit-exceeded':
    'see what the wallet has and may move: `countersign wallet balances <wallet>`, `countersign wallet limits <wallet>`',
};

/** How the details of refusals begin that an operator has caused; their reason follows. */
const BY_OPERATOR = /^The operator (of the server )?has (suspended|made the server read-only)/;

/** What a refusal says of what to try. */
export interface Advisable {
  readonly reason: string;
  /** The server's. */
  readonly detail?: string;
  /** Seconds after which the server says to come again. */
  readonly retryAfter?: number | undefined;
  /** Whether the write may have been done. */
  readonly mayBeDone?: boolean;
}

/** What to try, for a reason. */
export function adviceOn({ reason, detail, retryAfter, mayBeDone }: Advisable): string | undefined {
  if (detail !== undefined && BY_OPERATOR.test(detail))
    return 'ask the operator of the server, or wait until this ends: no rule of the ledger causes it';
  const own = Object.hasOwn(ADVICE_BY_REASON, reason) ? ADVICE_BY_REASON[reason] : undefined;
  // What `api` reasons advise is to repeat the command.
  if (mayBeDone) return own === undefined || reason.startsWith('api.') ? LOOK_BEFORE : `${own}; ${LOOK_BEFORE}`;
  return retryAfter === undefined ? own : `repeat the command in ${retryAfter} s`;
}
