import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBase64 } from '@countersign/protocol';
import { leafHash, parseCheckpoint, parseNote, parseProofFile } from '@countersign/protocol/log';
import { expect, it } from 'vitest';
import { buildGo, whyNoGo } from '../../../protocol/test/log/support/go.js';
import { withServer } from '../support/server.js';
import { runTour } from './tour.js';

const server = withServer({ deliveryAllowPrivate: true });
const reason = whyNoGo();
if (reason !== undefined && process.env.REQUIRE_GO === '1') throw new Error(`Go is required: ${reason}`);

it.skipIf(reason !== undefined)(
  "keeps a proof of inclusion that Go's packages take, and take for nothing else",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-tour-'));
    const go = buildGo();
    try {
      expect((await runTour(server.current.url, { TOUR_FOLDER: folder })).err).toBe('');
      const [proof, entry, vkey] = await Promise.all(
        ['proof', 'entry', 'vkey'].map((name) => readFile(join(folder, name), 'utf8')),
      );
      const { index, proof: hashes, checkpoint: note } = parseProofFile(proof!);
      const { size, root } = parseCheckpoint(parseNote(note).text);
      const question = {
        ask: 'inclusion',
        size,
        index,
        root,
        leaf: leafHash(decodeBase64(entry!)!),
        proof: hashes,
      } as const;
      const answers = go.ask([
        { ask: 'note', note, vkeys: [vkey] },
        question,
        { ...question, index: index + 1 },
        { ...question, leaf: leafHash(Buffer.alloc(33)) },
      ]);
      expect(answers.map(({ ok }) => ok)).toEqual([true, true, false, false]);
    } finally {
      go.remove();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
