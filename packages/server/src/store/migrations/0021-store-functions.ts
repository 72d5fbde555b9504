import { CREATE_LEDGER, SETTLE_BATCH, STORE_BATCH } from '../committer/functions.js';

/**
 * The functions that store batches of writes, decisions on intents and new ledgers, with the types of their parameters. Their names carry a
 * version, since two releases run side by side during an upgrade: a function that is changed gets the next one, and the one before
 * goes a release later.
 */
export const storeFunctionsSchema = [STORE_BATCH, SETTLE_BATCH, CREATE_LEDGER].join('\n');
