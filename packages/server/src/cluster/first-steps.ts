import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { PACKAGE } from '../base/package.js';
import type { Config } from '../config.js';
import { urlHost } from '../listen-addresses.js';

/** The tour, which is in the repository and not in the package. */
const TOUR = new URL('../../scripts/tour.mjs', PACKAGE);

/** How a server was installed, by what it finds around it. */
export interface Installation {
  /** A clone of the repository, which has the tour. */
  readonly isClone: boolean;
  /** Whether npm is there, by which the command is run; in the image the command itself is on the path. */
  readonly hasNpm: boolean;
}

/** How this server was installed. @param path folders with programs, as `PATH` names them */
export function findInstallation(path = ''): Installation {
  const folders = [dirname(process.execPath), ...path.split(delimiter)].filter(Boolean);
  const hasNpm = folders.some((folder) => ['npx', 'npx.cmd'].some((name) => existsSync(join(folder, name))));
  return { isClone: existsSync(TOUR), hasNpm };
}

/** First steps for the operator of a new deployment: commands that are there, however it was installed. */
export function firstSteps(config: Config, { isClone, hasNpm }: Installation): string {
  const local = `http://${urlHost(config.host)}:${config.port}/v2`;
  const isDefault = local === 'http://127.0.0.1:3000/v2';
  const init = `${hasNpm ? 'npx ' : ''}countersign init acme${isDefault ? '' : ` --server ${local}`}`;
  const where = hasNpm ? 'in another terminal' : 'in a terminal of this machine or container';
  const tour = isDefault ? 'npm run tour' : `npm run tour -- ${local}`;
  return [
    '',
    `There is no ledger yet. To make one, ${where}:   ${init}`,
    ...(isClone ? [`To see one made and used:   ${tour}`] : []),
    `In a browser, with the interface and guides:   ${config.publicUrl.replace(/\/v2$/, '/')}`,
    `For tools:   ${config.publicUrl}/openapi.json`,
    `Keep a copy of the master key${placeOfKey(config)}: without it the ledgers' own keys are lost.`,
  ].join('\n');
}

function placeOfKey({ masterKey, dataDir }: Config): string {
  return masterKey === undefined ? `, ${join(dataDir, 'master.key')}` : '';
}
