import { isObject, type JsonObject } from '@countersign/protocol';
import { type TProperties, type TSchema, Type } from 'typebox';
import { common, Free, Handle, handlesOf, oneOfNames, strictObject, unionOf } from './data.js';
import type { KindDeclaration, MetaTools } from './declaration.js';

/** An intent as clients send it (interface/intents#fields). */
export const intentLimits = {
  /** Claims of an intent. */
  claims: 100,
  /** Intents of one thread. */
  thread: 10,
} as const;

// Older clients send the handle alone (interface/intents#claims).
const ClaimAddress = Type.Union([Handle, strictObject({ handle: Handle, custom: Type.Optional(Free) })]);
const ClaimAmount = Type.Integer({ exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Bound = Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const MetricSchema = oneOfNames(['minBalance', 'maxBalance', 'dailyAmount', 'dailyCount']);

function makeClaimSchema(action: string, members: TProperties): TSchema {
  return strictObject({ action: oneOfNames([action]), ...members, custom: Type.Optional(Free) });
}

/** In the order in which their errors are listed (interface/intents#claims). */
const claims = {
  'issue-claim': makeClaimSchema('issue', { target: ClaimAddress, symbol: ClaimAddress, amount: ClaimAmount }),
  'transfer-claim': makeClaimSchema('transfer', {
    source: ClaimAddress,
    target: ClaimAddress,
    symbol: ClaimAddress,
    amount: ClaimAmount,
  }),
  'destroy-claim': makeClaimSchema('destroy', { source: ClaimAddress, symbol: ClaimAddress, amount: ClaimAmount }),
  'limit-claim': makeClaimSchema('limit', {
    wallet: ClaimAddress,
    symbol: ClaimAddress,
    metric: MetricSchema,
    amount: Bound,
  }),
};

const AnyClaimSchema = unionOf(Object.values(claims));

/** The statuses of intents, which only the ledger itself sets (interface/intents#processing). */
const INTENT_STATUSES = [
  'created',
  'pending',
  'prepared',
  'committed',
  'completed',
  'failed',
  'aborted',
  'rejected',
  'expired',
];

/** Movements of balances, all or nothing (interface/intents#fields). Its data never changes. */
export const intent: KindDeclaration = {
  name: 'intent',
  about: 'Movements of balances between wallets, all or nothing.',
  title: 'Intent',
  missing: 'Intent',
  prefix: 'int',
  path: 'intents',
  data: {
    shape: strictObject({
      handle: Handle,
      claims: Type.Array(AnyClaimSchema, { minItems: 1, maxItems: intentLimits.claims }),
      config: Type.Optional(strictObject({ commit: Type.Optional(oneOfNames(['auto', 'manual'])) })),
      ...common,
    }),
    added: { origin: Type.Optional(Type.String({ description: 'The intent that this one of the ledger forwards.' })) },
    parts: { 'claim-address': ClaimAddress, ...claims, claim: AnyClaimSchema },
    order: ['handle', 'schema', 'claims', 'config', 'custom', 'access', 'origin'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'proof', 'changes', 'check'],
    // Nothing happens to it any more. Who sends it again would pay twice, so its handle stays taken.
    erasable: { whenFinal: ['completed', 'rejected'] },
    signals: ['intent-created', 'intent-proofs-added', 'intent-updated'],
    initialStatus: 'pending',
    fixedStatus: true,
    isProcessed: true,
    fixedMoment: true,
    meta: async (data, tools) => ({ thread: thread(tools), domains: await domainsOf(data, tools) }),
    metaShape: Type.Object({
      thread: Type.String({ description: 'What follows from an intent has the same.' }),
      domains: Type.Array(Type.String(), { description: 'Of the wallets that claims name.' }),
      routed: Type.Optional(Type.Boolean({ description: '`true` from when it is prepared.' })),
    }),
    proofAliases: ['/sign'],
  },
  access: {
    bumpsRules: 'never',
    freeNames: true,
    ownProofs: true,
    conditions: {
      'intent.canSpendEveryClaimWallet': { quantifier: 'every', action: 'spend', kind: 'wallet', addresses: sources },
      'intent.canReadAnyClaimWallet': { quantifier: 'any', action: 'read', kind: 'wallet', addresses: parties },
      'intent.canReadAnyClaimWalletInThread': {
        quantifier: 'any',
        action: 'read',
        kind: 'wallet',
        addresses: parties,
        inThread: true,
      },
    },
  },
  filters: {
    data: ['claims.action', 'claims.amount', 'claims.source.handle', 'claims.target.handle', 'claims.symbol.handle'],
    meta: { more: ['domains'] },
    access: { meta: '^meta.thread$' },
  },
  trail: {
    created: [
      { status: 'pending', luid: false },
      { status: 'pending', luid: true },
    ],
  },
  birth: {
    policies: [
      {
        handle: 'intent:status',
        schema: 'status',
        record: 'intent',
        values: [{ quorum: [{ handle: 'system' }], status: { $in: INTENT_STATUSES } }],
        custom: { description: 'The statuses of intents, which only the ledger itself may set' },
      },
    ],
  },
};

/**
 * 17 characters of the luid alphabet, new for each intent of a client; records that follow from it share them
 * (interface/intents#fields).
 */
function thread({ random }: MetaTools): string {
  return `-${Buffer.from(random(12)).toString('base64url')}`;
}

/** The domains of the wallets that claims name, each once, ascending (interface/intents#fields). */
export async function domainsOf(data: JsonObject, { domainOf }: Pick<MetaTools, 'domainOf'>): Promise<string[]> {
  const handles = handlesOf(claimsOfData(data).flatMap(({ source, target, wallet }) => [source, target, wallet]));
  const found = await Promise.all(handles.map((handle) => domainOf('wallet', handle)));
  return [...new Set(found)].filter((domain) => domain !== undefined).sort();
}

function sources(data: JsonObject): string[] {
  return handlesOf(claimsOfData(data).map(({ source }) => source));
}

function parties(data: JsonObject): string[] {
  return handlesOf(claimsOfData(data).flatMap(({ source, target }) => [source, target]));
}

function claimsOfData({ claims }: JsonObject): JsonObject[] {
  return Array.isArray(claims) ? claims.filter(isObject) : [];
}
