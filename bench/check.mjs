import assert from 'node:assert/strict';
import { hash as hashOf, readJson, verifyProof } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';

/**
 * Checks an answer of the ledger in full: what it holds is what was asked for, and all it is signed with verifies.
 *
 * @throws AssertionError when something is not so
 */
export function check(shape, { request, body }) {
  const answer = readJson(body);
  const text = request.slice(request.indexOf('\r\n\r\n') + 4);
  const sent = text === '' ? undefined : readJson(text);
  assert.equal(hashOf(answer.data, native), answer.hash);
  for (const proof of answer.meta.proofs) assert.ok(verifyProof(answer.hash, proof, native), 'a proof does not verify');
  const last = answer.meta.proofs.at(-1);
  // In many ledgers answers are as in one.
  switch (shape.replace(/-many$/, '')) {
    case 'ledger':
      assert.equal(answer.data.handle, sent.data.handle);
      assert.equal(last.signer, 'system');
      return;
    case 'create':
    case 'update':
      assert.deepEqual(answer.data, sent.data);
      assert.equal(last.signer, 'system');
      return;
    case 'transfer':
    case 'transfer-hot':
      assert.deepEqual(answer.data, sent.data);
      assert.equal(answer.meta.proofs.length, 3);
      assert.equal(last.signer, 'system');
      return;
    case 'proof':
      assert.equal(last.result, sent.result);
      assert.equal(answer.meta.status, sent.custom.status);
      return;
    case 'read':
      assert.equal(`/v2/wallets/${answer.data.handle}`, pathOf(request));
      return;
    default:
      assert.equal(answer.data.length, 20);
      assert.equal(last.signer, 'system');
      for (const record of answer.data) checkListed(new URLSearchParams(pathOf(request).split('?')[1]), record);
  }
}

function checkListed(query, { hash, data }) {
  assert.equal(hashOf(data, native), hash);
  for (const [name, value] of query) {
    if (name.startsWith('data.custom.')) assert.equal(data.custom[name.slice('data.custom.'.length)], value);
  }
}

function pathOf(request) {
  return request.split(' ', 2)[1];
}
