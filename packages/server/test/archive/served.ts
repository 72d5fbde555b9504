import { hash } from 'node:crypto';
import type { RecordEnvelope } from '@countersign/protocol';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed } from '../../src/kinds/registry.js';
import type { TestClient } from '../support/client.js';
import { collectionOf } from '../support/scene.js';

/** A version that an export has, and where it is read. */
export interface ExportedChange {
  readonly kind: KindName;
  readonly luid: string;
  readonly change: number;
  readonly action: string;
  readonly text: string;
  readonly isCurrent: boolean;
  /** Of the record, by luid. */
  readonly path: string;
}

export function changesIn(text: string): ExportedChange[] {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const current = new Map(lines.filter(({ line }) => line === 'current').map(({ luid, change }) => [luid, change]));
  return (
    lines
      // Where an erased record was read, its text said.
      .filter(({ line, text, action }) => line === 'change' && text !== null && action !== 'erase')
      .map(({ kind, luid, change, action, text }) => {
        const { data } = JSON.parse(text) as RecordEnvelope;
        const path = kind === 'ledger' ? '/ledger' : `${collectionOf(kindNamed(kind), data)}/${luid}`;
        return { kind, luid, change, action, text, isCurrent: current.get(luid) === change, path };
      })
  );
}

/** SHA-256 of an answer, hex: the answers of a large ledger, twice, are more than a process holds. */
export function digestOf(answer: string): string {
  return hash('sha256', answer);
}

/**
 * Digests of what a ledger answers to reads: every record, every version, balances and limits of wallets. Answers that are
 * signed for the moment are compared without hash and `meta`.
 */
export async function answersOf(client: TestClient, changes: readonly ExportedChange[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const read = async ({ path, change, kind, isCurrent }: ExportedChange) => {
    const version = `${path}/changes/${change}`;
    answers.set(version, digestOf((await client.get(version)).text));
    if (!isCurrent) return;
    answers.set(path, digestOf((await client.get(path)).text));
    if (kind !== 'wallet') return;
    for (const list of ['balances', 'limits']) {
      const { status, body } = await client.get(`${path}/${list}?page.limit=100`);
      answers.set(`${path}/${list}`, digestOf(JSON.stringify([status, body.data, body.page])));
    }
  };
  let next = 0;
  const lane = async () => {
    for (let one = changes[next++]; one; one = changes[next++]) await read(one);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  for (const kind of ['wallets', 'signers', 'intents', 'policies', 'schemas', 'effects'])
    answers.set(kind, digestOf(JSON.stringify((await client.get(`/${kind}?page.limit=100`)).body.data)));
  return answers;
}
