/** What each ledger may store: bytes, or a part of the disk of the embedded PostgreSQL; undefined for no bound. */
export type LedgerQuota = { readonly bytes: number } | { readonly percent: number } | undefined;

/** @throws Error whose message completes a sentence that begins with the setting's name */
export function parseQuota(text: string): LedgerQuota {
  if (text === 'off') return undefined;
  const [, number = '', unit = ''] = /^([1-9]\d{0,14})(%|[KMGT]iB)?$/.exec(text) ?? [];
  if (unit === '%' && Number(number) <= 100) return { percent: Number(number) };
  if (number === '' || unit === '%') throw new Error(`must be bytes such as 10GiB, 1% to 100%, or off, not ${text}`);
  return { bytes: Number(number) * 1024 ** ['', 'KiB', 'MiB', 'GiB', 'TiB'].indexOf(unit) };
}

/**
 * The quota with a database of the operator's, whose disk is not known: no part of it is.
 *
 * @param isSet whether the operator has set it
 * @throws as `parseQuota` does
 */
export function quotaOfOthers(quota: LedgerQuota, isSet: boolean): LedgerQuota {
  if (quota === undefined || 'bytes' in quota) return quota;
  if (isSet)
    throw new Error('must be bytes such as 10GiB, or off, with DATABASE_URL: the disk of that database is not known');
  return undefined;
}
