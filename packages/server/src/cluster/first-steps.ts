import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE } from '../base/package.js';
import { type Config, urlHost } from '../config.js';

/** The tour, which is in the repository and not in the package. */
const TOUR = new URL('../../scripts/tour.mjs', PACKAGE);

/**
 * First steps for the operator of a new deployment.
 *
 * @param isClone whether the server runs in a clone of the repository
 */
export function firstSteps(config: Config, isClone = existsSync(TOUR)): string {
  const local = `http://${urlHost(config.host)}:${config.port}/v2`;
  const isDefault = local === 'http://127.0.0.1:3000/v2';
  const init = `npx countersign init acme${isDefault ? '' : ` --server ${local}`}`;
  const tour = isDefault ? 'npm run tour' : `npm run tour -- ${local}`;
  return [
    '',
    `There is no ledger yet. To make one, in another terminal:   ${init}`,
    ...(isClone ? [`To see one made and used:   ${tour}`] : []),
    `In a browser, with the interface and guides:   ${config.publicUrl.replace(/\/v2$/, '/')}`,
    `For tools:   ${config.publicUrl}/openapi.json`,
    `Keep a copy of the master key${placeOfKey(config)}: without it the ledgers' own keys are lost.`,
  ].join('\n');
}

function placeOfKey({ masterKey, dataDir }: Config): string {
  return masterKey === undefined ? `, ${join(dataDir, 'master.key')}` : '';
}
