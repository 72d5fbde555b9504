import { LedgerError } from '@countersign/protocol';
import { assetLimits } from './asset-limits.js';

/** A report, as far as the path of its generated files follows from it. */
export interface AssetOwner {
  /** Handle of its ledger. */
  readonly ledger: string;
  readonly domain: string | undefined;
  /** Handle of its schema. */
  readonly schema: string;
  readonly luid: string;
}

/**
 * Where a generated file lies below the folder or bucket of all of them (interface/reports#where-files-lie). It follows
 * from the report and the handle of the asset alone: what a proof says of the place is never followed.
 *
 * @returns one name for each step of the path
 */
export function assetPath({ ledger, domain, schema, luid }: AssetOwner, asset: string): string[] {
  const inDomain = domain === undefined ? [] : ['domains', domain];
  return ['ledgers', ledger, ...inDomain, 'schemas', schema, 'reports', luid, 'assets', asset];
}

/** Bucket, ledger, domain, schema, report and file of a URL in the bucket of reports. */
const URL_FORM =
  /^gs:\/\/([^/]+)\/ledgers\/([^/]+)(?:\/domains\/([^/]+))?\/schemas\/([^/]+)\/reports\/([^/]+)\/assets\/([^/]+)$/;

/** Stands for the domain of what is in none. */
const NO_DOMAIN = 'none';

/**
 * @throws `record.invalid` for an asset whose `output` is not the URL in the bucket that follows from its report
 *   (interface/reports#where-files-lie)
 */
export function assertAssetOutput(
  bucket: string,
  { ledger, domain, schema, luid }: AssetOwner,
  { handle, output }: { readonly handle: string; readonly output: string },
): void {
  const found = output.length > assetLimits.output ? null : URL_FORM.exec(output);
  if (!found) throw new LedgerError('record.invalid', `Invalid gs URL: ${output.slice(0, assetLimits.output)}`);
  const [, inBucket, inLedger, inDomain = NO_DOMAIN, ofSchema, ofReport, file] = found;
  const pairs = [
    ['ledger', inLedger, 'report ledger', ledger],
    ['domain', inDomain, 'report domain', domain ?? NO_DOMAIN],
    ['schema', ofSchema, 'report schema', schema],
    ['report id', ofReport, 'report id', luid],
    ['bucket', inBucket, 'reporting bucket', bucket],
    ['filename', file, 'asset handle', handle],
  ];
  const wrong = pairs.find(([, told, , own]) => told !== own);
  if (!wrong) return;
  const [part, told, whose, own] = wrong;
  throw new LedgerError(
    'record.invalid',
    `Error while validating asset, GCS URL ${part} (${told}) different than ${whose} (${own})`,
  );
}
