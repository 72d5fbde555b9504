import { Channel } from './channel.js';
import { Collection } from './collection.js';
import type { RecordName } from './generated/kinds.js';
import type {
  AnchorOperations,
  BridgeOperations,
  CircleOperations,
  CircleSignerOperations,
  DomainOperations,
  EffectOperations,
  IntentOperations,
  LedgerOperations,
  PolicyOperations,
  ReportOperations,
  SchemaOperations,
  Schemas,
  SignerFactorOperations,
  SignerOperations,
  SymbolOperations,
  WalletOperations,
} from './generated/operations.js';
import type { ConnectOptions, DropOptions, ReadOptions, SignedRequest, SignOptions, WriteOptions } from './options.js';
import type { Signed } from './shape.js';

/** How long to wait between two looks at an intent, in milliseconds. */
const POLL_INTERVAL = 250;

type Intent = Schemas['intent'];

/** Operations on intents, and what several of them come to. */
export interface Intents extends IntentOperations {
  /** Decides that a held intent is done (interface/intents#manual-commit). */
  commit(intent: Intent | string, options?: SignOptions): Promise<Intent>;
  /** Decides that a held intent fails. */
  abort(intent: Intent | string, options?: SignOptions): Promise<Intent>;
  /** Waits until an intent is `completed` or `rejected`; a signal ends the wait. */
  settled(intent: Intent | string, options?: ReadOptions): Promise<Intent>;
}

/** Operations on circles and their members. */
export interface Circles extends CircleOperations {
  /** The members of a circle, as records. */
  signers(circle: string): CircleSignerOperations;
  /** Makes a signer a member. */
  addSigner(circle: string, signer: string, options?: WriteOptions): Promise<Schemas['circle-signer']>;
  /** Ends the membership of a signer. */
  removeSigner(circle: string, signer: string, options?: DropOptions): Promise<void>;
}

/** Operations on signers and their factors. */
export interface Signers extends SignerOperations {
  /** The factors of a signer. */
  factors(signer: string): SignerFactorOperations;
}

/** A ledger, as one signer sees it. */
export interface Ledger {
  readonly signers: Signers;
  readonly domains: DomainOperations;
  readonly reports: ReportOperations;
  readonly policies: PolicyOperations;
  readonly schemas: SchemaOperations;
  readonly effects: EffectOperations;
  readonly circles: Circles;
  readonly anchors: AnchorOperations;
  readonly wallets: WalletOperations;
  readonly intents: Intents;
  readonly symbols: SymbolOperations;
  readonly bridges: BridgeOperations;
  /** The record of the ledger itself. */
  readonly record: Omit<LedgerOperations, 'create' | 'list'>;
  /** The ledgers of the server; connect without a ledger for these. */
  readonly ledgers: Pick<LedgerOperations, 'create' | 'list'>;
  /** The operations on a kind, by its name in rules; `parent` is the signer of factors, the circle of circle signers. */
  kind(record: RecordName, parent?: string): Collection;
  /** The key of the ledger's `system` that answers are held to; undefined before the first answer, unless it is pinned. */
  readonly systemKey: string | undefined;
  /** Sends a signed request again, with the same bytes: the error of a lost write has it, and `onSigned` is given it. */
  resend(request: SignedRequest, options?: ReadOptions): Promise<unknown>;
  /** What the server says of itself, unsigned. */
  information(options?: ReadOptions): Promise<Schemas['server-information']>;
}

/** A client of a ledger. Nothing is sent before the first call. */
export function connect(options: ConnectOptions): Ledger {
  const channel = new Channel(options);
  // Which operations a kind has is in its interface, made from the description; all have one implementation.
  const kind = (record: RecordName, parent?: string) => new Collection(channel, record, parent);
  const of = <Operations>(record: RecordName, parent?: string) => kind(record, parent) as unknown as Operations;
  const ledgers = of<LedgerOperations>('ledger');
  return {
    signers: Object.assign(of<SignerOperations>('signer'), {
      factors: (signer: string) => of<SignerFactorOperations>('signer-factor', signer),
    }),
    domains: of('domain'),
    reports: of('report'),
    policies: of('policy'),
    schemas: of('schema'),
    effects: of('effect'),
    circles: circlesOf(of('circle'), (circle) => of('circle-signer', circle)),
    anchors: of('anchor'),
    wallets: of('wallet'),
    intents: intentsOf(of('intent'), channel),
    symbols: of('symbol'),
    bridges: of('bridge'),
    record: ledgers,
    ledgers,
    kind,
    get systemKey() {
      return channel.trust.key;
    },
    resend: (request, how) => channel.resend(request, how),
    async information({ signal } = {}) {
      const { body } = await channel.ask({ method: 'GET', path: '/', signal }, channel.verifier.before('ledger'));
      await channel.verifier.unsigned(body);
      return body as Schemas['server-information'];
    },
  };
}

/** The key that signs for a ledger, from the record that made it: to be pinned. */
export function systemKeyOf(ledger: Schemas['ledger']): string {
  const key = (ledger as unknown as Signed).meta.proofs.findLast(({ signer }) => signer === 'system')?.public;
  if (key === undefined) throw new TypeError('The record has no proof of its ledger');
  return key;
}

function circlesOf(circles: CircleOperations, signers: (circle: string) => CircleSignerOperations): Circles {
  return Object.assign(circles, {
    signers,
    addSigner: (circle: string, signer: string, options?: WriteOptions) => signers(circle).create({ signer }, options),
    removeSigner: (circle: string, signer: string, options?: DropOptions) => signers(circle).drop(signer, options),
  });
}

function intentsOf(intents: IntentOperations, { environment }: Channel): Intents {
  return Object.assign(intents, {
    commit: (intent: Intent | string, options?: SignOptions) => intents.sign(intent, { action: 'commit' }, options),
    abort: (intent: Intent | string, options?: SignOptions) => intents.sign(intent, { action: 'abort' }, options),
    async settled(intent: Intent | string, options: ReadOptions = {}) {
      const id = typeof intent === 'string' ? intent : intent.luid;
      for (;;) {
        const current = await intents.get(id, options);
        if (/^(completed|rejected)$/.test(String(current.meta.status))) return current;
        await environment.sleep(POLL_INTERVAL, options.signal);
      }
    },
  });
}
