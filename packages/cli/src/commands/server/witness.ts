import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { decodeBase64 } from '@countersign/protocol';
import { formatVkey, LogError, type NoteKey, noteKey, parseVkey } from '@countersign/protocol/log';
import { openKey } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { PASSWORD } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import { pairOf, type SigningKeyPair } from '../../home/encrypted-key.js';
import { isEncrypted, parsePrivateKey } from '../../home/key-store.js';
import { usage } from '../../terminal/failure.js';
import { readText } from '../../terminal/input.js';
import { createWitness } from '../../witness/server.js';
import { openStates } from '../../witness/states.js';
import { loadSuite } from '../archive/server-parts.js';
import { listening, portOf } from './port.js';

const WITNESS_PORT = '4060';

export const witness: CliCommand = {
  path: ['witness'],
  summary: 'Run a witness, which cosigns the checkpoints of logs',
  about:
    'Serves add-checkpoint of C2SP tlog-witness. It cosigns a checkpoint only when a known key of the log signed it, and when ' +
    'it is shown to begin with the checkpoint that was cosigned before: a log that goes back, or shows two trees, gets no ' +
    'cosignature. Keep the state: whoever deletes it can lead the witness back. docs/interface/log-witnesses.md has more.',
  options: [
    { flags: '--key <name>', about: 'key of the key store to cosign with; make one for this alone' },
    { flags: '--key-file <path>', about: 'file with the private key instead, as `key import` reads it' },
    {
      flags: '--source-password <password>',
      env: 'COUNTERSIGN_SOURCE_PASSWORD',
      about: 'password of that file; other users can see flags, so prefer the variable',
      ask: { kind: 'password', message: 'Password of the file' },
    },
    {
      flags: '--name <name>',
      about: 'name of the witness in its cosignatures, such as witness.example/w1; it stays the same',
      ask: { kind: 'text', message: 'Name of the witness' },
    },
    { flags: '--log <vkey...>', about: 'verifier key of a log to cosign for' },
    { flags: '--logs <file>', about: 'file with a verifier key of a log on each line' },
    { flags: '--state <folder>', about: 'where the cosigned checkpoints are kept; below the home unless given' },
    { flags: '--port <port>', about: 'port to listen at', default: WITNESS_PORT },
    { flags: '--listen <address>', about: 'address to listen at', default: '127.0.0.1' },
    ...PASSWORD,
  ],
  examples: [
    {
      call: 'countersign witness --key w1 --name witness.example/w1 --logs logs.txt',
      about: 'prints the verifier key, which goes into the policy of the server',
    },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const port = portOf(await invocation.need('port'), WITNESS_PORT);
    const name = await invocation.need('name');
    const logs = await logsOf(invocation);
    const pair = await loadWitnessKey(invocation);
    const key = asUsage('--name', () => noteKey(name, 'cosignature', decodeBase64(pair.public) as Uint8Array));
    const states = await openStates(invocation.get('state') ?? join(invocation.home.folder, 'witness'));
    try {
      const { suite } = await loadSuite();
      const running = createWitness({
        logs,
        key,
        states,
        suite,
        sign: (message) => suite.sign(message, pair.secret),
        now: surroundings.now,
        log: (line) => output.raw(`${line}\n`),
      });
      await listening(running, port, await invocation.need('listen'));
      const { address, port: at } = running.address() as AddressInfo;
      output.raw(`${formatVkey(key)}\n`);
      output.raw(`The witness is running at ${address} on port ${at}. Keys of logs that it knows: ${logs.length}.\n`);
      await surroundings.stopped();
      running.closeIdleConnections();
      const late = setTimeout(() => running.closeAllConnections(), LAST_REQUESTS);
      await new Promise((resolve) => running.close(resolve));
      clearTimeout(late);
    } finally {
      await states.close();
    }
  },
};

/** Milliseconds that requests under way have when the witness stops. */
const LAST_REQUESTS = 2_000;

async function loadWitnessKey(invocation: Invocation): Promise<SigningKeyPair> {
  const file = invocation.get('key-file');
  const name = invocation.get('key');
  if ((file === undefined) === (name === undefined)) throw usage('Which key?', 'give --key or --key-file');
  if (file === undefined) return openKey(invocation, name as string);
  const text = await readText(file);
  return pairOf(parsePrivateKey(text, isEncrypted(text) ? await invocation.need('source-password') : undefined));
}

/** The logs of `--log` and `--logs`; each once. A line of the file may begin with `log`, as in a policy. */
async function logsOf(invocation: Invocation): Promise<NoteKey[]> {
  const file = invocation.get('logs');
  const lines = file === undefined ? [] : (await readText(file)).split('\n').map((line) => line.trim());
  const listed = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const vkeys = listed.map((line) => line.replace(/^log\s+/, '').split(/\s+/)[0] as string);
  const all = new Map([...invocation.all('log'), ...vkeys].map((vkey) => [vkey, keyOfLog(vkey)]));
  if (all.size === 0) throw usage('No log is known.', 'give --log or --logs: /log/{ledger}/vkeys of a server has keys');
  return [...all.values()];
}

function keyOfLog(vkey: string): NoteKey {
  const key = asUsage(`The verifier key ${vkey.slice(0, 80)}`, () => parseVkey(vkey));
  if (key.use === 'note') return key;
  throw usage(`The verifier key ${vkey} is that of a witness.`, 'give those of logs');
}

function asUsage<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof LogError ? usage(`${what} cannot be read: ${error.detail}.`) : error;
  }
}
