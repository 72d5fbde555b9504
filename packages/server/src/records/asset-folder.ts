import { type OpenFile, openWithin } from '../base/contained-file.js';
import { assetLimits } from '../kinds/reports/asset-limits.js';
import type { Service } from '../ledgers/service.js';
import { boundConcurrency } from '../outbound/under-way.js';

/**
 * Opens generated files below the operator's folder, as many at a time as `assetLimits` allows: whoever reads slowly
 * keeps a file open.
 */
export function createAssetFolder(folder: string): NonNullable<Service['openAsset']> {
  const bounded = boundConcurrency(assetLimits);
  return (ledger, path) =>
    new Promise<OpenFile | undefined>((resolve, reject) => {
      bounded(ledger, async () => {
        const file = await openWithin(folder, path);
        resolve(file);
        await file?.closed;
      }).catch(reject);
    });
}
