// Made by packages/client/scripts/generate.mjs from the OpenAPI description. Change that, and run it again.

/** Of each kind the letters of its luids, and the paths of the collection and of one record. */
export const KINDS = {
  'ledger': ['ldg', '/ledgers', '/ledger'],
  'signer': ['snr', '/signers', '/signers/{id}'],
  'signer-factor': ['snf', '/signers/{signer}/factors', '/signers/{signer}/factors/{id}'],
  'domain': ['dom', '/domains', '/domains/{id}'],
  'report': ['rep', '/reports', '/reports/{id}'],
  'policy': ['plc', '/policies', '/policies/{id}'],
  'schema': ['sch', '/schemas', '/schemas/{id}'],
  'effect': ['eff', '/effects', '/effects/{id}'],
  'circle': ['crc', '/circles', '/circles/{id}'],
  'circle-signer': ['csn', '/circles/{circle}/signers', '/circles/{circle}/signers/{id}'],
  'anchor': ['anc', '/anchors', '/anchors/{id}'],
  'wallet': ['wlt', '/wallets', '/wallets/{id}'],
  'intent': ['int', '/intents', '/intents/{id}'],
  'symbol': ['sym', '/symbols', '/symbols/{id}'],
  'bridge': ['brg', '/bridges', '/bridges/{id}'],
} as const;

/** A kind, as rules name it. */
export type RecordName = keyof typeof KINDS;
