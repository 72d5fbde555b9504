import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { type TProperties, type TSchema, Type } from 'typebox';
import { limits } from '../limits.js';
import { closed, common, Free, Handle, oneOf, oneOfNames } from './data.js';
import type { KindDeclaration, MetaTools } from './kind.js';

// Older clients send the handle alone (contract 00, String claims).
const Address = Type.Union([Handle, closed({ handle: Handle, custom: Type.Optional(Free) })]);
const Amount = Type.Integer({ exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Bound = Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const Metric = oneOfNames(['minBalance', 'maxBalance', 'dailyAmount', 'dailyCount']);

function claim(action: string, members: TProperties): TSchema {
  return closed({ action: oneOfNames([action]), ...members, custom: Type.Optional(Free) });
}

/** In the order their errors are listed (contract 04 §3). */
const Claim = oneOf([
  claim('issue', { target: Address, symbol: Address, amount: Amount }),
  claim('transfer', { source: Address, target: Address, symbol: Address, amount: Amount }),
  claim('destroy', { source: Address, symbol: Address, amount: Amount }),
  claim('limit', { wallet: Address, symbol: Address, metric: Metric, amount: Bound }),
]);

/** What shall happen to balances, all of it or nothing (contract 04 §2 - §4). Its data never changes. */
export const intent: KindDeclaration = {
  name: 'intent',
  title: 'Intent',
  missing: 'Intent',
  prefix: 'int',
  path: 'intents',
  data: {
    shape: closed({
      handle: Handle,
      claims: Type.Array(Claim, { minItems: 1, maxItems: limits.claims }),
      config: Type.Optional(closed({ commit: Type.Optional(oneOfNames(['auto', 'manual'])) })),
      ...common,
    }),
    order: ['handle', 'schema', 'claims', 'config', 'custom', 'access', 'origin'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'proof', 'changes', 'check'],
    signals: ['intent-created', 'intent-proofs-added', 'intent-updated'],
    initialStatus: 'pending',
    fixedStatus: true,
    fixedMoment: true,
    meta: async (data, tools) => ({ thread: thread(tools), domains: await domains(data, tools) }),
    proofAliases: ['/sign'],
  },
  access: {
    decides: 'never',
    freeNames: true,
  },
  filters: {
    data: ['claims.action', 'claims.amount', 'claims.source.handle', 'claims.target.handle', 'claims.symbol.handle'],
    meta: { more: ['domains'] },
  },
  trail: {
    created: [
      { status: 'pending', luid: false },
      { status: 'pending', luid: true },
    ],
  },
};

/** 17 characters of luids, new for each intent of a client; what follows from it has the same (contract 04 §4). */
function thread({ random }: MetaTools): string {
  return `-${Buffer.from(random(12)).toString('base64url')}`;
}

/** The domains of the wallets that claims name, each once, ascending (contract 02 §2.2). */
async function domains(data: JsonObject, { domainOfWallet }: MetaTools): Promise<string[]> {
  const claims = Array.isArray(data.claims) ? data.claims.filter(isObject) : [];
  const addresses = claims.flatMap(({ source, target, wallet }) => [source, target, wallet]).map(handleOf);
  const handles = [...new Set(addresses)].filter((handle) => handle !== undefined);
  const found = await Promise.all(handles.map((handle) => domainOfWallet(handle)));
  return [...new Set(found)].filter((domain) => domain !== undefined).sort();
}

function handleOf(address: Json | undefined): string | undefined {
  const handle = isObject(address) ? address.handle : address;
  return typeof handle === 'string' ? handle : undefined;
}
