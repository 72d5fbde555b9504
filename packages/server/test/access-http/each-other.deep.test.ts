import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { bearer } from '../support/token.js';
import { circleOf, founded, GATE, registered } from './support.js';

/** Two writes that each take away what the other rests on: whichever comes first, the second is refused. */
describe('of two members of a circle who put each other out of it, one stays', () => {
  const servers = withTwoServers();

  it.each([
    ['at one process', 0],
    ['at two processes', 1],
  ] as const)('%s', async (_, other) => {
    const founder = await founded(servers.current[0].url, [
      GATE,
      { action: 'any', record: 'any', signer: { $circle: 'admins' } },
    ]);
    const alice = new TestClient(servers.current[0].url, await registered(founder, 'alice'), founder.ledger);
    const bob = new TestClient(servers.current[other].url, await registered(founder, 'bob'), founder.ledger);
    const [ofAlice, ofBob] = await circleOf(founder, 'admins', 'alice', 'bob');
    const links = { alice: ofAlice as RecordEnvelope, bob: ofBob as RecordEnvelope };
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all([
        alice.drop('/circles/admins/signers/bob', links.bob as RecordEnvelope),
        bob.drop('/circles/admins/signers/alice', links.alice as RecordEnvelope),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 403]);
      const out = answers[0].status === 204 ? 'bob' : 'alice';
      links[out] = await stored(founder, 'circle-signer', { circle: 'admins', signer: out });
    }
  });

  it('and many at once all get in', async () => {
    const founder = await founded(servers.current[0].url, [GATE]);
    await circleOf(founder, 'admins');
    const names = Array.from({ length: 20 }, (_, index) => `member-${index}`);
    await Promise.all(names.map((name) => registered(founder, name)));
    const answers = await Promise.all(
      names.map((signer) => founder.create('/circles/admins/signers', { circle: 'admins', signer })),
    );
    for (const answer of answers) ok(answer);
    const list = await founder.get('/circles/admins/signers?page.limit=100', bearer(founder.key));
    expect(list.body.data).toHaveLength(names.length);
  });
});
