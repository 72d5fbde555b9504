import { type TProperties, type TSchema, Type } from 'typebox';

/**
 * What the key of the ledger signs with a bare moment: `custom` of the proof is `{moment}`. The proof alone does not tell
 * these messages from one another, so their data must.
 *
 * | Message | Signed in | Its data |
 * |---|---|---|
 * | event | `deliveries/output.ts` | an object with a handle `evt_…`, a signal, and what the ledger put in for that signal |
 * | lookup | `operations/lookup/lookup-anchors.ts` | the client's, within `NO_MESSAGE` |
 * | forwarded update | `forwarding/version.ts` | that of an anchor, a closed object: it has `parent`, a hash, and neither signal, action nor intent |
 * | list | `lists/text.ts` | an array: the text that is hashed begins with `[`, that of all others with `{` |
 * | error | `http/boundary.ts` | `reason`, `detail` and `custom`, of the ledger's own choice; a bridge's error is signed with `causedBy` |
 * | call | `money/bridges.ts` | an object with a handle `deb_…` or `cre_…`, the intent, and a schema (entry) or an action (commit, abort) |
 * | limit | `money/accounts/wallet-limits.ts` | `amount`, `metric`, `symbol` and `wallet`: it has no handle |
 * | granted rule | `operations/check.ts` | `action`, `filter`, `invoke` and `record`: it has no handle |
 * | log | `operations/log/signed-data.ts` | of the ledger's own choice, with `origin`: it has no handle |
 * | journal entry | `journal/entry.ts` | of the ledger's own choice, with `target`, `params` and `result`; its handle is the id of a luid, which begins with `-` |
 *
 * All other proofs of the ledger say more: those of records have a luid or a status, those of deliveries
 * (`deliveries/settle.ts`) a status, and the first ones of birth records have no `custom`.
 *
 * A new message with a bare moment takes a row here, and a case in the test that goes through these rows.
 *
 * `NO_MESSAGE` is for data that a client chose: it lacks the members that tell messages apart, and has no handle that
 * begins like theirs.
 */
export const NO_MESSAGE: TProperties = {
  /** Of an event. */
  signal: absent(),
  /** Of a commit, an abort, a granted rule. */
  action: absent(),
  /** Of a forwarded update. */
  parent: absent(),
  /** Of a limit. */
  metric: absent(),
  /** Of an event, a debit, a credit. */
  handle: Type.Optional(Type.Unsafe({ pattern: '^(?!(evt|deb|cre)_)' })),
};

function absent(): TSchema {
  return Type.Optional(Type.Unsafe({ not: {} }));
}
