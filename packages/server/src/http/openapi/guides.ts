import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Route } from '../routes.js';

/** What an operation does, and the section of the guides that says more. */
interface Guide {
  readonly text: string;
  readonly section: string;
}

/** By the name of the operation. */
const GUIDES: Readonly<Record<string, Guide>> = {
  create: {
    text: 'Stores a new record, signed by its client, and answers with it, countersigned by the ledger. The same body sent again is stored once.',
    section: 'records#create',
  },
  list: {
    text: 'Shows the records that the caller may read. Filters are parameters named after members of the record.',
    section: 'lists',
  },
  read: { text: 'Answers with the record as it is now, by handle or luid.', section: 'records#read' },
  update: {
    text: 'Replaces `data` as a whole; `data.parent` names the version that it replaces, by its hash.',
    section: 'records#update',
  },
  proof: {
    text: "Adds a signature over the record's hash. What it says may change the status and the labels.",
    section: 'records#add-a-proof',
  },
  drop: {
    text: 'Takes the record out of use; `data.parent` names its last version, by its hash.',
    section: 'records#drop',
  },
  erase: {
    text: 'Forgets the texts of all versions, hashes and salts with them, of a record that was dropped. It cannot be undone, and is granted by the name of the action only, never by `any`.',
    section: 'records#erase',
  },
  changes: { text: 'Every stored version, with the proofs that made it.', section: 'records#history' },
  change: { text: 'One stored version, by its number.', section: 'records#history' },
  inclusion: {
    text: 'Proves that the version is in the log of the ledger: a proof file with the signed checkpoint, which `accept: text/plain` asks for alone. A version that was just stored is 404 with `retry-after` until it is sealed.',
    section: 'log#inclusion',
  },
  log: { text: 'The newest checkpoint, and what is not sealed yet.', section: 'log#state' },
  consistency: {
    text: 'Proves that nothing of the older tree was changed or left out in the newer one.',
    section: 'log#consistency',
  },
  check: {
    text: 'Tells by which rules the signers of the request may do something with the record.',
    section: 'access#access-check',
  },
  events: { text: 'What was sent, or is to be, and what became of it.', section: 'effects#list-deliveries' },
  event: {
    text: 'One delivery with all of its attempts, and the body as it was sent.',
    section: 'effects#read-a-delivery',
  },
  retry: { text: 'Makes deliveries due at once, all of an age or one by its handle.', section: 'effects#retry' },
  activate: { text: 'The same as `events/retry`, for older clients.', section: 'effects#retry' },
  anchors: { text: 'The names under which the wallet is known.', section: 'lookups#anchors-of-a-wallet' },
  lookup: {
    text: 'The names of the wallet that have what the data of the request asks for.',
    section: 'lookups#lookup',
  },
  domains: {
    text: 'What the bridge of the wallet says; without a bridge, nothing.',
    section: 'lookups#domains-of-a-wallet',
  },
  balances: {
    text: 'What can be spent, and what intents under way have reserved, by symbol.',
    section: 'wallets#balances',
  },
  limits: { text: 'The bounds that were set on the balances of the wallet.', section: 'wallets#limits' },
  requests: {
    text: 'What was asked of the ledger that writes, what was refused, and who read secrets. 404 unless the ledger keeps a journal.',
    section: 'journal#list-entries',
  },
  request: { text: 'One entry of the journal of requests.', section: 'journal#read-an-entry' },
  asset: { text: 'A file that was generated for the report.', section: 'reports#download-of-an-asset' },
};

/** Where the guides are served, given the server's public URL. */
export function guidesUrl(publicUrl: string): string {
  return `${publicUrl.replace(/\/v2$/, '')}/docs/interface`;
}

/** The description of an operation, and where more is said of it. */
export function describeGuide({ kind, operation }: Route, guides: string): { text: string; externalDocs?: object } {
  const guide = GUIDES[operation.name];
  if (!guide) return { text: kind.about };
  return { text: guide.text, externalDocs: { description: 'Guide', url: `${guides}/${guide.section}` } };
}

/** The section about a kind. Those that lie under another are described with it. */
export function guideOfKind({ name, path, links: { under } }: Kind): string {
  if (name === 'symbol') return 'wallets#symbols';
  return under === undefined ? path : kindNamed(under.kind).path;
}
