// Made by packages/client/scripts/generate.mjs from the OpenAPI description. Change that, and run it again.

import type { DropOptions, EraseOptions, GetOptions, HistoryOptions, ListOptions, ReadOptions, RetryOptions, SignOptions, Stated, WithoutMember, WriteOptions } from '../options.js';
import type { Pages } from '../pages.js';
import type { components } from './schemas.js';

/** The shapes of the interface, by the names that its description gives them. */
export type Schemas = components['schemas'];

/** Ledger records; their luids begin with `$ldg.`. */
export interface LedgerOperations {
  /** Create a ledger, whose owners are those who sign the request. */
  create(data: Schemas['ledger-data'], options?: WriteOptions): Promise<Schemas['ledger']>;
  /** List the ledgers that the token's key owns. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | `data.custom.${string}`>): Pages<Schemas['ledger']>;
  /** Read a ledger. */
  get(options?: GetOptions): Promise<Schemas['ledger']>;
  /** Replace the data of a ledger. */
  update(record: Schemas['ledger'] | undefined, data: Schemas['ledger-data'] | ((current: Schemas['ledger']['data']) => Schemas['ledger-data']), options?: WriteOptions): Promise<Schemas['ledger']>;
  /** Add a proof to a ledger, which may change its status and labels. */
  sign(record: Schemas['ledger'] | undefined, custom?: Stated, options?: SignOptions): Promise<Schemas['ledger']>;
  /** List every version of a ledger, newest first. */
  history(options?: HistoryOptions): Pages<Schemas['ledger-change']>;
  /** Read one version of a ledger. */
  change(change: number, options?: ReadOptions): Promise<Schemas['ledger-change']>;
  /** Prove that a version of a ledger is in the log of the ledger. */
  inclusion(change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** Read how far the log of a ledger is. */
  log(options?: ReadOptions): Promise<Schemas['log']>;
  /** Prove that the log of the ledger begins with an older one. */
  consistency(from: number, to?: number, options?: ReadOptions): Promise<Schemas['consistency']>;
  /** List the rules of a ledger that grant the signers an action. */
  check(action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
  /** List the journal of requests of a ledger, newest first. */
  requests(options?: ListOptions<'data.source' | 'data.target' | 'data.record' | 'data.action' | 'meta.status' | 'meta.labels' | 'meta.moment'>): Pages<Schemas['request-entry']>;
  /** Read one entry of the journal of requests of a ledger. */
  request(id: string, options?: ReadOptions): Promise<Schemas['request-entry']>;
}

/** Signer records; their luids begin with `$snr.`. */
export interface SignerOperations {
  /** Create a signer. */
  create(data: Schemas['signer-data'], options?: WriteOptions): Promise<Schemas['signer']>;
  /** List signers, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | 'data.public' | 'data.format' | `data.custom.${string}`>): Pages<Schemas['signer']>;
  /** Read a signer. */
  get(id: string, options?: GetOptions): Promise<Schemas['signer']>;
  /** Replace the data of a signer. */
  update(record: Schemas['signer'] | string, data: Schemas['signer-data'] | ((current: Schemas['signer']['data']) => Schemas['signer-data']), options?: WriteOptions): Promise<Schemas['signer']>;
  /** Add a proof to a signer, which may change its status and labels. */
  sign(record: Schemas['signer'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['signer']>;
  /** List every version of a signer, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['signer-change']>;
  /** Read one version of a signer. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['signer-change']>;
  /** Prove that a version of a signer is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a signer that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Signer Factor records; their luids begin with `$snf.`. */
export interface SignerFactorOperations {
  /** Create a signer factor. */
  create(data: WithoutMember<Schemas['signer-factor-data'], 'signer'>, options?: WriteOptions): Promise<Schemas['signer-factor']>;
  /** List signer factors, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | 'data.public' | `data.custom.${string}`>): Pages<Schemas['signer-factor']>;
  /** Read a signer factor. */
  get(id: string, options?: GetOptions): Promise<Schemas['signer-factor']>;
  /** Replace the data of a signer factor. */
  update(record: Schemas['signer-factor'] | string, data: WithoutMember<Schemas['signer-factor-data'], 'signer'> | ((current: Schemas['signer-factor']['data']) => WithoutMember<Schemas['signer-factor-data'], 'signer'>), options?: WriteOptions): Promise<Schemas['signer-factor']>;
  /** Add a proof to a signer factor, which may change its status and labels. */
  sign(record: Schemas['signer-factor'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['signer-factor']>;
  /** Drop a signer factor; its history stays readable by luid. */
  drop(record: Schemas['signer-factor'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of a signer factor, for good. */
  erase(record: Schemas['signer-factor'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of a signer factor, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['signer-factor-change']>;
  /** Read one version of a signer factor. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['signer-factor-change']>;
  /** Prove that a version of a signer factor is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a signer factor that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Domain records; their luids begin with `$dom.`. */
export interface DomainOperations {
  /** Create a domain. */
  create(data: Schemas['domain-data'], options?: WriteOptions): Promise<Schemas['domain']>;
  /** List domains, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.moment' | `data.custom.${string}`>): Pages<Schemas['domain']>;
  /** Read a domain. */
  get(id: string, options?: GetOptions): Promise<Schemas['domain']>;
  /** Replace the data of a domain. */
  update(record: Schemas['domain'] | string, data: Schemas['domain-data'] | ((current: Schemas['domain']['data']) => Schemas['domain-data']), options?: WriteOptions): Promise<Schemas['domain']>;
  /** Add a proof to a domain, which may change its status and labels. */
  sign(record: Schemas['domain'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['domain']>;
  /** List every version of a domain, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['domain-change']>;
  /** Read one version of a domain. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['domain-change']>;
  /** Prove that a version of a domain is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a domain that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Report records; their luids begin with `$rep.`. */
export interface ReportOperations {
  /** Create a report. */
  create(data: Schemas['report-data'], options?: WriteOptions): Promise<Schemas['report']>;
  /** List reports, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | `data.custom.${string}`>): Pages<Schemas['report']>;
  /** Read a report. */
  get(id: string, options?: GetOptions): Promise<Schemas['report']>;
  /** Add a proof to a report, which may change its status and labels. */
  sign(record: Schemas['report'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['report']>;
  /** Drop a report; its history stays readable by luid. */
  drop(record: Schemas['report'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of a report, for good. */
  erase(record: Schemas['report'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of a report, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['report-change']>;
  /** Read one version of a report. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['report-change']>;
  /** Prove that a version of a report is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a report that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
  /** Download a generated file of a report. */
  asset(id: string, asset: string, options?: ReadOptions): Promise<Response>;
}

/** Policy records; their luids begin with `$plc.`. */
export interface PolicyOperations {
  /** Create a policy. */
  create(data: Schemas['policy-data'], options?: WriteOptions): Promise<Schemas['policy']>;
  /** List policies, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | 'data.record' | `data.custom.${string}`>): Pages<Schemas['policy']>;
  /** Read a policy. */
  get(id: string, options?: GetOptions): Promise<Schemas['policy']>;
  /** Replace the data of a policy. */
  update(record: Schemas['policy'] | string, data: Schemas['policy-data'] | ((current: Schemas['policy']['data']) => Schemas['policy-data']), options?: WriteOptions): Promise<Schemas['policy']>;
  /** Add a proof to a policy, which may change its status and labels. */
  sign(record: Schemas['policy'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['policy']>;
  /** Drop a policy; its history stays readable by luid. */
  drop(record: Schemas['policy'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of a policy, for good. */
  erase(record: Schemas['policy'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of a policy, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['policy-change']>;
  /** Read one version of a policy. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['policy-change']>;
  /** Prove that a version of a policy is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a policy that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Schema records; their luids begin with `$sch.`. */
export interface SchemaOperations {
  /** Create a schema. */
  create(data: Schemas['schema-data'], options?: WriteOptions): Promise<Schemas['schema']>;
  /** List schemas, newest change first. */
  list(options?: ListOptions<'data.handle' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | 'data.record' | `data.custom.${string}`>): Pages<Schemas['schema']>;
  /** Read a schema. */
  get(id: string, options?: GetOptions): Promise<Schemas['schema']>;
  /** Replace the data of a schema. */
  update(record: Schemas['schema'] | string, data: Schemas['schema-data'] | ((current: Schemas['schema']['data']) => Schemas['schema-data']), options?: WriteOptions): Promise<Schemas['schema']>;
  /** Add a proof to a schema, which may change its status and labels. */
  sign(record: Schemas['schema'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['schema']>;
  /** List every version of a schema, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['schema-change']>;
  /** Read one version of a schema. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['schema-change']>;
  /** Prove that a version of a schema is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a schema that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Effect records; their luids begin with `$eff.`. */
export interface EffectOperations {
  /** Create an effect. */
  create(data: Schemas['effect-data'], options?: WriteOptions): Promise<Schemas['effect']>;
  /** List effects, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | `data.custom.${string}`>): Pages<Schemas['effect']>;
  /** Read an effect. */
  get(id: string, options?: GetOptions): Promise<Schemas['effect']>;
  /** Replace the data of an effect. */
  update(record: Schemas['effect'] | string, data: Schemas['effect-data'] | ((current: Schemas['effect']['data']) => Schemas['effect-data']), options?: WriteOptions): Promise<Schemas['effect']>;
  /** Add a proof to an effect, which may change its status and labels. */
  sign(record: Schemas['effect'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['effect']>;
  /** Drop an effect; its history stays readable by luid. */
  drop(record: Schemas['effect'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of an effect, for good. */
  erase(record: Schemas['effect'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of an effect, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['effect-change']>;
  /** Read one version of an effect. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['effect-change']>;
  /** Prove that a version of an effect is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of an effect that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
  /** List the deliveries of events of an effect, newest first. */
  events(id: string, options?: ListOptions<'meta.status' | 'data.linked' | 'data.record'>): Pages<Schemas['delivery']>;
  /** Read one delivery of an event of an effect. */
  event(id: string, event: string, options?: ReadOptions): Promise<Schemas['delivery']>;
  /** Send deliveries of an effect again that failed or wait. */
  retry(id: string, options?: RetryOptions): Promise<void>;
}

/** Circle records; their luids begin with `$crc.`. */
export interface CircleOperations {
  /** Create a circle. */
  create(data: Schemas['circle-data'], options?: WriteOptions): Promise<Schemas['circle']>;
  /** List circles, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | `data.custom.${string}`>): Pages<Schemas['circle']>;
  /** Read a circle. */
  get(id: string, options?: GetOptions): Promise<Schemas['circle']>;
  /** Replace the data of a circle. */
  update(record: Schemas['circle'] | string, data: Schemas['circle-data'] | ((current: Schemas['circle']['data']) => Schemas['circle-data']), options?: WriteOptions): Promise<Schemas['circle']>;
  /** Add a proof to a circle, which may change its status and labels. */
  sign(record: Schemas['circle'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['circle']>;
  /** List every version of a circle, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['circle-change']>;
  /** Read one version of a circle. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['circle-change']>;
  /** Prove that a version of a circle is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a circle that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Circle Signer records; their luids begin with `$csn.`. */
export interface CircleSignerOperations {
  /** Create a circle signer. */
  create(data: WithoutMember<Schemas['circle-signer-data'], 'circle'>, options?: WriteOptions): Promise<Schemas['circle-signer']>;
  /** List circle signers, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | 'data.circle' | 'data.signer' | `data.custom.${string}`>): Pages<Schemas['circle-signer']>;
  /** Read a circle signer. */
  get(id: string, options?: GetOptions): Promise<Schemas['circle-signer']>;
  /** Drop a circle signer; its history stays readable by luid. */
  drop(record: Schemas['circle-signer'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of a circle signer, for good. */
  erase(record: Schemas['circle-signer'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of a circle signer, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['circle-signer-change']>;
  /** Read one version of a circle signer. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['circle-signer-change']>;
  /** Prove that a version of a circle signer is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
}

/** Anchor records; their luids begin with `$anc.`. */
export interface AnchorOperations {
  /** Create an anchor. */
  create(data: Schemas['anchor-data'], options?: WriteOptions): Promise<Schemas['anchor']>;
  /** List anchors, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | 'data.wallet' | 'data.target' | 'data.symbol' | 'data.record' | 'data.source' | `data.custom.${string}`>): Pages<Schemas['anchor']>;
  /** Read an anchor. */
  get(id: string, options?: GetOptions): Promise<Schemas['anchor']>;
  /** Replace the data of an anchor. */
  update(record: Schemas['anchor'] | string, data: Schemas['anchor-data'] | ((current: Schemas['anchor']['data']) => Schemas['anchor-data']), options?: WriteOptions): Promise<Schemas['anchor']>;
  /** Add a proof to an anchor, which may change its status and labels. */
  sign(record: Schemas['anchor'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['anchor']>;
  /** Drop an anchor; its history stays readable by luid. */
  drop(record: Schemas['anchor'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of an anchor, for good. */
  erase(record: Schemas['anchor'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of an anchor, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['anchor-change']>;
  /** Read one version of an anchor. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['anchor-change']>;
  /** Prove that a version of an anchor is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of an anchor that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Wallet records; their luids begin with `$wlt.`. */
export interface WalletOperations {
  /** Create a wallet. */
  create(data: Schemas['wallet-data'], options?: WriteOptions): Promise<Schemas['wallet']>;
  /** List wallets, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | 'data.bridge' | `data.custom.${string}`>): Pages<Schemas['wallet']>;
  /** Read a wallet. */
  get(id: string, options?: GetOptions): Promise<Schemas['wallet']>;
  /** Replace the data of a wallet. */
  update(record: Schemas['wallet'] | string, data: Schemas['wallet-data'] | ((current: Schemas['wallet']['data']) => Schemas['wallet-data']), options?: WriteOptions): Promise<Schemas['wallet']>;
  /** Add a proof to a wallet, which may change its status and labels. */
  sign(record: Schemas['wallet'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['wallet']>;
  /** Drop a wallet; its history stays readable by luid. */
  drop(record: Schemas['wallet'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of a wallet, for good. */
  erase(record: Schemas['wallet'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of a wallet, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['wallet-change']>;
  /** Read one version of a wallet. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['wallet-change']>;
  /** Prove that a version of a wallet is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a wallet that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
  /** Read the anchors of a wallet, from its bridge where that has them. */
  anchors(address: string, options?: ReadOptions): Promise<Schemas['found-anchors']['data']>;
  /** Look up anchors of a wallet, at its bridge where that has them. */
  lookup(address: string, data?: WithoutMember<Schemas['lookup']['data'], 'wallet'>, options?: WriteOptions): Promise<Schemas['found-anchors']['data']>;
  /** Read the domains that the bridge of a wallet has for it. */
  domains(address: string, options?: ReadOptions): Promise<Schemas['found-domains']['data']>;
  /** List the balances of a wallet, by symbol. */
  balances(id: string, options?: ListOptions<'data.symbol' | 'data.schema'>): Pages<Schemas['balance']>;
  /** List the limits of a wallet, by symbol and metric. */
  limits(id: string, options?: ListOptions<'data.symbol' | 'data.metric'>): Pages<Schemas['wallet-limit']>;
}

/** Intent records; their luids begin with `$int.`. */
export interface IntentOperations {
  /** Create an intent. */
  create(data: Schemas['intent-data'], options?: WriteOptions): Promise<Schemas['intent']>;
  /** List intents, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | 'meta.domains' | 'data.claims.action' | 'data.claims.amount' | 'data.claims.source.handle' | 'data.claims.target.handle' | 'data.claims.symbol.handle' | `data.custom.${string}`>): Pages<Schemas['intent']>;
  /** Read an intent. */
  get(id: string, options?: GetOptions): Promise<Schemas['intent']>;
  /** Add a proof to an intent, which may change its status and labels. */
  sign(record: Schemas['intent'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['intent']>;
  /** Forget the texts of an intent, for good. */
  erase(record: Schemas['intent'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of an intent, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['intent-change']>;
  /** Read one version of an intent. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['intent-change']>;
  /** Prove that a version of an intent is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of an intent that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Symbol records; their luids begin with `$sym.`. */
export interface SymbolOperations {
  /** Create a symbol. */
  create(data: Schemas['symbol-data'], options?: WriteOptions): Promise<Schemas['symbol']>;
  /** List symbols, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | `data.custom.${string}`>): Pages<Schemas['symbol']>;
  /** Read a symbol. */
  get(id: string, options?: GetOptions): Promise<Schemas['symbol']>;
  /** Replace the data of a symbol. */
  update(record: Schemas['symbol'] | string, data: Schemas['symbol-data'] | ((current: Schemas['symbol']['data']) => Schemas['symbol-data']), options?: WriteOptions): Promise<Schemas['symbol']>;
  /** Add a proof to a symbol, which may change its status and labels. */
  sign(record: Schemas['symbol'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['symbol']>;
  /** Drop a symbol; its history stays readable by luid. */
  drop(record: Schemas['symbol'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of a symbol, for good. */
  erase(record: Schemas['symbol'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of a symbol, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['symbol-change']>;
  /** Read one version of a symbol. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['symbol-change']>;
  /** Prove that a version of a symbol is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a symbol that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
}

/** Bridge records; their luids begin with `$brg.`. */
export interface BridgeOperations {
  /** Create a bridge. */
  create(data: Schemas['bridge-data'], options?: WriteOptions): Promise<Schemas['bridge']>;
  /** List bridges, newest change first. */
  list(options?: ListOptions<'data.handle' | 'data.schema' | 'meta.status' | 'meta.labels' | 'meta.domain' | 'meta.moment' | `data.custom.${string}`>): Pages<Schemas['bridge']>;
  /** Read a bridge. */
  get(id: string, options?: GetOptions): Promise<Schemas['bridge']>;
  /** Replace the data of a bridge. */
  update(record: Schemas['bridge'] | string, data: Schemas['bridge-data'] | ((current: Schemas['bridge']['data']) => Schemas['bridge-data']), options?: WriteOptions): Promise<Schemas['bridge']>;
  /** Add a proof to a bridge, which may change its status and labels. */
  sign(record: Schemas['bridge'] | string, custom?: Stated, options?: SignOptions): Promise<Schemas['bridge']>;
  /** Drop a bridge; its history stays readable by luid. */
  drop(record: Schemas['bridge'] | string, options?: DropOptions): Promise<void>;
  /** Forget the texts of a bridge, for good. */
  erase(record: Schemas['bridge'] | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;
  /** List every version of a bridge, newest first. */
  history(id: string, options?: HistoryOptions): Pages<Schemas['bridge-change']>;
  /** Read one version of a bridge. */
  change(id: string, change: number, options?: ReadOptions): Promise<Schemas['bridge-change']>;
  /** Prove that a version of a bridge is in the log of the ledger. */
  inclusion(id: string, change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;
  /** List the rules of a bridge that grant the signers an action. */
  check(id: string, action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;
  /** List the deliveries of events of a bridge, newest first. */
  events(id: string, options?: ListOptions<'meta.status' | 'data.linked' | 'data.record'>): Pages<Schemas['delivery']>;
  /** Read one delivery of an event of a bridge. */
  event(id: string, event: string, options?: ReadOptions): Promise<Schemas['delivery']>;
  /** Send deliveries of a bridge again that failed or wait. */
  retry(id: string, options?: RetryOptions): Promise<void>;
}
