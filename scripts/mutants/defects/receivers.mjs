/** What receivers rely on: the verification of events, and the signatures of webhooks. */
const protocol = (path) => `packages/protocol/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

export const tests = ['packages/protocol/test/event.test.ts', 'packages/protocol/test/webhook.test.ts'];

export const mutants = [
  {
    id: 'receivers-other-keys',
    file: protocol('event.ts'),
    find: 'isObject(proof) && proof.public === systemKey',
    replace: 'isObject(proof)',
    breaks: 'Anyone signs events in the name of the ledger.',
  },
  {
    id: 'receivers-proofs-of-records',
    file: protocol('event.ts'),
    find: "hasExactly(proof.custom, ['moment']) &&",
    replace: '',
    breaks: 'A record that the ledger has signed is passed off as an event.',
  },
  {
    id: 'receivers-members-of-signals',
    file: protocol('event.ts'),
    find: "if (!hasMembersOf(subject, verb, data)) throw new EventError('malformed', 'The data is not that of its signal');",
    replace: '',
    breaks: 'An effect that is called like an event is passed off as one.',
    tests: [...tests, test('events/verify.test.ts')],
  },
  {
    id: 'receivers-parts-of-records',
    file: protocol('event.ts'),
    find: 'isProofs(meta.proofs)',
    replace: 'Array.isArray(meta.proofs)',
    breaks: 'Something without proofs is taken for the record of an event.',
  },
  {
    id: 'receivers-repeated-members',
    file: protocol('event.ts'),
    find: 'if (countMembersIn(text) !== countMembersOf(value)) throw',
    replace: 'if (value === undefined) throw',
    breaks: 'Two programs read two events in one body.',
  },
  {
    id: 'receivers-every-proof',
    file: protocol('event.ts'),
    find: 'if (!own.every(',
    replace: 'if (!own.some(',
    breaks: "A forged proof under the ledger's key is believed beside a good one.",
  },
  {
    id: 'receivers-size',
    file: protocol('event.ts'),
    find: 'if (text.length > bounds.size) throw',
    replace: 'if (text.length > bounds.size + 1) throw',
    breaks: 'A body is one character larger than it may be.',
  },
  {
    id: 'receivers-webhook-time',
    file: protocol('webhook.ts'),
    find: 'if (!(Math.abs(now - timestamp * 1000) <= tolerance * 1000)) {',
    replace: 'if (now - timestamp * 1000 > tolerance * 1000) {',
    breaks: 'A delivery that was signed ahead of time is good until then.',
  },
  {
    id: 'receivers-webhook-id',
    file: protocol('webhook.ts'),
    find: "if (!WEBHOOK_ID.test(input.id)) throw new TypeError('The id of a webhook is the handle of its event');",
    replace: '',
    breaks: 'The ledger signs text that may be one of its tokens.',
  },
  {
    id: 'receivers-webhook-of-the-attempt',
    file: 'packages/server/src/keys/countersigner.ts',
    find: 'Math.floor(attempted.getTime() / 1000)',
    replace: 'Math.round(attempted.getTime() / 1000)',
    breaks: 'An attempt is signed for a second that is yet to come.',
    tests: [test('events/verify.test.ts')],
  },
  {
    id: 'receivers-example-remembers',
    file: 'examples/receiver/receiver.mjs',
    find: 'if (this.#recent.has(event) || this.#older.has(event)) return false;',
    replace: 'if (this.#recent.has(event)) return false;',
    breaks: 'The example handles an event twice.',
    tests: [test('examples/receiver.deep.test.ts')],
  },
  {
    id: 'receivers-example-same-event',
    file: 'examples/receiver/receiver.mjs',
    find: "if (id !== event.handle) throw new protocol.EventError('malformed', 'The headers are those of another event');",
    replace: '',
    breaks: 'The headers of one event are taken for another.',
    tests: [test('examples/receiver.deep.test.ts')],
  },
];
