import { jsonAnswer, jsonBody } from './record-routes.js';
import { ref, type Schema, textSchema } from './schemas.js';

/** Tags of what the ledger calls, beside those of what it serves. */
export const WEBHOOK_TAGS = [
  {
    name: 'Events',
    description: 'What receivers of effects are sent. Each is signed by the ledger, and comes at least once.',
  },
  {
    name: 'Bridge calls',
    description:
      'What a bridge is asked, at `config.server` of its record. Each call carries what the security rules of the bridge add.',
  },
];

interface WebhookCall {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly body?: string;
  readonly answers: Readonly<Record<string, object>>;
}

const TAKEN_ANSWER = {
  '2XX': { description: 'It was taken; what becomes of it is reported later, as a proof of the intent.' },
};
const TOLD = { '2XX': { description: 'It was taken.' } };
const RETRY_ANSWERS = {
  501: { description: 'It is not sent again.' },
  default: { description: 'It is sent again later, with the same bytes.' },
};

const verb = (side: 'debit' | 'credit', action: 'commit' | 'abort'): WebhookCall => ({
  id: `${action}Bridge${side === 'debit' ? 'Debit' : 'Credit'}`,
  method: 'post',
  path: `/${side}s/{entry}/${action}`,
  summary: `${action === 'commit' ? 'Commit' : 'Abort'} a ${side} that was asked for`,
  body: 'bridge-command-call',
  answers: { ...TAKEN_ANSWER, ...RETRY_ANSWERS },
});

/** Calls for intents (interface/bridges#calls). */
const MONEY_CALLS: readonly WebhookCall[] = [
  ...(['debit', 'credit'] as const).map((side) => ({
    id: side === 'debit' ? 'prepareBridgeDebit' : 'prepareBridgeCredit',
    method: 'post' as const,
    path: `/${side}s`,
    summary: `Prepare a ${side}: hold the amount, move nothing`,
    body: 'bridge-entry-call',
    answers: { ...TAKEN_ANSWER, ...RETRY_ANSWERS },
  })),
  verb('debit', 'commit'),
  verb('debit', 'abort'),
  verb('credit', 'commit'),
  verb('credit', 'abort'),
  {
    id: 'updateBridgeIntent',
    method: 'put',
    path: '/intents/{handle}',
    summary: 'Be told that an intent is prepared, or final',
    body: 'called-intent',
    answers: { ...TOLD, ...RETRY_ANSWERS },
  },
];

const FOUND = { 200: jsonAnswer('What the bridge has.', ref('bridge-items')) };

/** Calls for lookups (interface/lookups#at-a-bridge). */
const LOOKUP_CALLS: readonly WebhookCall[] = [
  {
    id: 'readBridgeAnchors',
    method: 'get',
    path: '/wallets/{address}/anchors',
    summary: 'Tell the anchors of a wallet',
    answers: FOUND,
  },
  {
    id: 'lookupBridgeAnchors',
    method: 'post',
    path: '/wallets/{address}/anchors/!lookup',
    summary: 'Tell the anchors of a wallet that match',
    body: 'lookup',
    answers: FOUND,
  },
  {
    id: 'readBridgeDomains',
    method: 'get',
    path: '/wallets/{address}/domains',
    summary: 'Tell the domains of a wallet',
    answers: FOUND,
  },
];

const ANCHOR = jsonAnswer('The anchor, as the bridge has it.', ref('anchor'));
const REFUSED_ANSWER = { '4XX': jsonAnswer('A signed error, which is passed on to the client.', ref('error')) };

/** Calls of processing policies (interface/forwarding#calls). */
const FORWARDED_CALLS: readonly WebhookCall[] = [
  {
    id: 'createBridgeAnchor',
    method: 'post',
    path: '/v2/anchors',
    summary: 'Take, or refuse, a new anchor',
    body: 'anchor-create',
    answers: { '2XX': ANCHOR, ...REFUSED_ANSWER },
  },
  {
    id: 'updateBridgeAnchor',
    method: 'put',
    path: '/v2/anchors/{handle}',
    summary: 'Take, or refuse, an update of an anchor',
    body: 'anchor-update',
    answers: { '2XX': ANCHOR, ...REFUSED_ANSWER },
  },
  {
    id: 'addBridgeAnchorProof',
    method: 'post',
    path: '/v2/anchors/{handle}/proofs',
    summary: 'Take, or refuse, a proof of an anchor',
    body: 'anchor-proof',
    answers: { '2XX': ANCHOR, ...REFUSED_ANSWER },
  },
  {
    id: 'dropBridgeAnchor',
    method: 'delete',
    path: '/v2/anchors/{handle}',
    summary: 'Drop an anchor, or refuse to',
    body: 'anchor-drop',
    answers: { '2XX': { description: 'Dropped.' }, ...REFUSED_ANSWER },
  },
  {
    id: 'readBridgeAnchor',
    method: 'get',
    path: '/v2/anchors/{handle}',
    summary: 'Tell an anchor',
    answers: { 200: ANCHOR, ...REFUSED_ANSWER },
  },
  {
    id: 'listBridgeAnchors',
    method: 'get',
    path: '/v2/anchors',
    summary: 'Tell all anchors',
    answers: { 200: jsonAnswer('A list of anchors.', ref('anchor-list')), ...REFUSED_ANSWER },
  },
];

/** What the ledger sends to services outside: events, and calls of bridges. */
export function describeWebhooks(): Record<string, object> {
  const calls = [...MONEY_CALLS, ...LOOKUP_CALLS, ...FORWARDED_CALLS].map((call) => [
    call.id,
    { [call.method]: describeCall(call) },
  ]);
  return {
    receiveEvent: { post: { ...describeReceiver('receiveEvent', 'Take an event'), ...WEBHOOK } },
    receiveBridgeEvent: {
      post: {
        ...describeReceiver('receiveBridgeEvent', 'Take an event, at a bridge'),
        description: 'Sent to `POST {config.server}/effects/{handle of the effect}`.',
      },
    },
    ...Object.fromEntries(calls),
  };
}

function describeCall({ id, method, path, summary, body, answers }: WebhookCall): object {
  return {
    operationId: id,
    summary,
    description: `Sent to \`${method.toUpperCase()} {config.server}${path}\`.`,
    tags: ['Bridge calls'],
    security: [],
    requestBody: body === undefined ? undefined : jsonBody(body),
    responses: answers,
  };
}

function describeReceiver(operationId: string, summary: string): object {
  const requestBody = jsonBody('event');
  return {
    operationId,
    summary,
    tags: ['Events'],
    security: [],
    requestBody,
    responses: { ...TOLD, ...RETRY_ANSWERS },
  };
}

const describeHeader = (name: string, description: string, schema: Schema = textSchema) => ({
  name,
  in: 'header',
  required: true,
  schema,
  description,
});

/** What a webhook gets: the headers of Standard Webhooks (interface/receiving-events#webhook-signature). */
const WEBHOOK = {
  description:
    'Sent to `POST <endpoint>` of the effect. Verify the proof in the body by the key of `GET /signers/system`, or the headers by the same key; then remember `data.handle`, and answer.',
  parameters: [
    describeHeader('webhook-id', '`data.handle` of the event.'),
    describeHeader('webhook-timestamp', 'Time of this attempt, Unix time in seconds.', {
      ...textSchema,
      pattern: '^[0-9]+$',
    }),
    describeHeader(
      'webhook-signature',
      '`v1a,` and base64 of the Ed25519 signature over `<webhook-id>.<webhook-timestamp>.<body>`, by the key of the ledger.',
    ),
  ],
};
