import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runBeside } from '../support/program.js';

const SERVER = fileURLToPath(new URL('../.bundle/main.js', import.meta.url));

it.each([[[]], [['--check']], [['--migrate']]])(
  '%j tells wrong settings in a line each, and ends with 2',
  async (args) => {
    const settings = { WORKERS: 'many', REQUEST_TIMEOUT: '15s' };
    expect(await runBeside(process.execPath, [SERVER, ...args], settings)).toEqual({
      status: 2,
      out: '',
      err:
        'countersign: WORKERS must be a whole number from 1 to 64, not "many"\n' +
        'REQUEST_TIMEOUT must be a whole number from 100 to 600000, not "15s"\n',
    });
  },
);
