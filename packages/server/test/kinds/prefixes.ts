import type { KindName } from '../../src/kinds/kind.js';

/** How luids of each kind begin (interface/envelope#luids). */
export const PREFIXES: Readonly<Record<KindName, string>> = {
  ledger: 'ldg',
  signer: 'snr',
  'signer-factor': 'snf',
  domain: 'dom',
  report: 'rep',
  policy: 'plc',
  schema: 'sch',
  effect: 'eff',
  circle: 'crc',
  'circle-signer': 'csn',
  anchor: 'anc',
  wallet: 'wlt',
  intent: 'int',
  symbol: 'sym',
  bridge: 'brg',
};
