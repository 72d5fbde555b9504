import { describe, expect, test } from 'vitest';
import { encodeBase64, portable } from '../../src/index.js';
import {
  cosign,
  formatCheckpoint,
  formatNote,
  formatVkey,
  LOG_BOUNDS,
  noteKey,
  openCheckpoint,
  openNote,
  parseCheckpoint,
  parseNote,
  parseVkey,
  signNote,
  verifyCosignature,
  verifyNote,
} from '../../src/log/index.js';
import { log, ORIGIN, otherLog, testKey, witnesses } from './support/keys.js';
import { sha, turned } from './support/tree.js';

const malformed = expect.objectContaining({ name: 'LogError', reason: 'malformed' });
const tooLong = expect.objectContaining({ name: 'LogError', reason: 'too-long' });
const unverified = expect.objectContaining({ name: 'LogError', reason: 'unverified' });

const root = sha();
const text = formatCheckpoint({ origin: ORIGIN, size: 12, root });
const bytes = (content: string) => new TextEncoder().encode(content);
const base64 = (length: number) => encodeBase64(new Uint8Array(length).fill(7));

async function signed(body: string, signers = [log]) {
  return { text: body, signatures: await Promise.all(signers.map(({ key, sign }) => signNote(body, key, sign))) };
}

describe('verifier keys', () => {
  test('the example of the signed-note documentation of Go is read and written', () => {
    const vkey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    const key = parseVkey(vkey);
    expect(key).toMatchObject({ name: 'PeterNeumann', use: 'note', id: 'c74f20a3' });
    expect(formatVkey(key)).toBe(vkey);
    const note =
      'If you think cryptography is the answer to your problem,\n' +
      "then you don't know what your problem is.\n\n" +
      '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
    expect(openNote(note, [key]).signed).toEqual([{ key, time: undefined }]);
  });

  test('the id is of the name, the type and the key', () => {
    for (const [use, type] of [
      ['note', 1],
      ['cosignature', 4],
    ] as const) {
      const { key } = testKey('a.example', use, 9);
      const hash = sha(bytes('a.example\n'), Uint8Array.of(type), key.publicKey);
      expect(key.id).toBe(Buffer.from(hash.subarray(0, 4)).toString('hex'));
      expect(parseVkey(formatVkey(key))).toEqual(key);
    }
  });

  test('others are refused', () => {
    const vkey = formatVkey(log.key);
    const [name, id, key] = [ORIGIN, log.key.id, vkey.slice(ORIGIN.length + 10)];
    for (const other of [
      '',
      name,
      `${name}+${id}`,
      `+${id}+${key}`,
      `${name}x+${id}+${key}`,
      `${name}+${id.toUpperCase().replace(/^\d/, 'A')}+${key}`,
      `${name}+${id}+${key}=`,
      `${name}+${id}+${key.slice(4)}`,
      `${name}+${id}+${base64(33)}`,
      `${vkey}\n`,
      `${vkey}+`,
      ` ${vkey}`,
    ]) {
      expect(() => parseVkey(other), other).toThrow(malformed);
    }
    for (const bad of ['', 'a b', 'a+b', 'a\u00a0b', 'a\u2028b', 'a\u0085b', 'a\nb', 'a\u0001b', 'a\ud800']) {
      expect(() => noteKey(bad, 'note', log.key.publicKey), bad).toThrow(malformed);
    }
    expect(() => parseVkey('x'.repeat(LOG_BOUNDS.vkey + 1))).toThrow(tooLong);
    expect(noteKey('x'.repeat(LOG_BOUNDS.name), 'note', log.key.publicKey).name.length).toBe(LOG_BOUNDS.name);
    expect(() => noteKey('x'.repeat(LOG_BOUNDS.name + 1), 'note', log.key.publicKey)).toThrow(tooLong);
    expect(() => noteKey('a', 'note', new Uint8Array(31))).toThrow(TypeError);
  });
});

describe('notes', () => {
  test('are read as they are written, as text or bytes, with unknown lines and empty lines in the text', async () => {
    for (const body of ['a\n', 'ä\n\nb\n', '\n', 'a\n\n', `${text}extension\n`]) {
      const note = await signed(body, [log, otherLog]);
      expect(parseNote(formatNote(note))).toEqual(note);
      expect(parseNote(bytes(formatNote(note)))).toEqual(note);
      expect(verifyNote(note, [otherLog.key])).toEqual([{ key: otherLog.key, time: undefined }]);
    }
  });

  test('a signer answers now or later', async () => {
    const later = await signNote(text, log.key, async (message) => log.sign(message));
    expect(later).toEqual(await signNote(text, log.key, log.sign));
    await expect(signNote(text, witnesses[0]!.key, log.sign)).rejects.toThrow(TypeError);
    await expect(signNote('no newline', log.key, log.sign)).rejects.toThrow(TypeError);
    await expect(signNote('\ud800\n', log.key, log.sign)).rejects.toThrow(TypeError);
  });

  test('other forms are refused', async () => {
    const note = formatNote(await signed(text));
    const line = note.slice(text.length + 1);
    for (const other of [
      '',
      text,
      `${text}\n`,
      note.slice(0, -1),
      `${note}\n`,
      `${text}${line}`,
      note.replace('— ', '- '),
      note.replace('— ', '—'),
      note.replace('— ', '—  '),
      note.replace(/\n$/, ' \n'),
      note.replace(/\n$/, '=\n'),
      `${text}\n— ${ORIGIN} ${base64(4)}\n`,
      `${text}\n— ${ORIGIN}\n`,
      `${text}\n—  ${base64(68)}\n`,
      `${text}\n— a+b ${base64(68)}\n`,
      `${text}\n${line}\n${line}x`,
      note.replace('\n', '\r\n'),
      note.replace('\n', '\t\n'),
      note.replace('\n', '\u0000\n'),
      note.replace('\n', '\ud800\n'),
    ]) {
      expect(() => parseNote(other), JSON.stringify(other)).toThrow(malformed);
    }
    const broken = bytes(note);
    broken[0] = 0xff;
    expect(() => parseNote(broken)).toThrow(malformed);
    expect(parseNote(`\ufeff${note}`).text).toBe(`\ufeff${text}`);
    expect(parseNote(bytes(`\ufeff${note}`)).text).toBe(`\ufeff${text}`);
    expect(() => formatNote({ text: 'no newline', signatures: [] })).toThrow(malformed);
    expect(() => formatNote({ text, signatures: [] })).toThrow(malformed);
  });

  test('at most a hundred signatures, and 64 KiB', async () => {
    const [signature] = (await signed(text)).signatures;
    const many = (count: number) => ({ text, signatures: Array(count).fill(signature) });
    expect(parseNote(formatNote(many(100))).signatures.length).toBe(100);
    expect(() => formatNote(many(101))).toThrow(tooLong);
    const rest = formatNote(await signed('\n')).length - 1 + 2;
    const full = await signed(`${'x'.repeat(LOG_BOUNDS.note - rest - 1)}\n`);
    expect(bytes(formatNote(full)).length).toBe(LOG_BOUNDS.note);
    expect(() => parseNote(`x${formatNote(full)}`)).toThrow(tooLong);
    expect(() => parseNote(bytes(`x${formatNote(full)}`))).toThrow(tooLong);
    expect(() => parseNote(formatNote(full).replace('x', 'ä'))).toThrow(tooLong);
  });

  test('a wrong signature by a known key fails the note; one by an unknown key does not', async () => {
    const good = await signed(text, [log, otherLog]);
    for (const wrong of [
      { ...good, text: text.replace('12', '13') },
      { ...good, signatures: [good.signatures[1]!, { ...good.signatures[0]!, signature: new Uint8Array(64) }] },
      { ...good, signatures: [...good.signatures, { ...good.signatures[0]!, signature: new Uint8Array(1) }] },
    ]) {
      expect(() => openNote(formatNote(wrong), [log.key])).toThrow(unverified);
    }
    const unknown = { ...good, signatures: good.signatures.with(1, { ...good.signatures[1]!, signature: root }) };
    expect(openNote(formatNote(unknown), [log.key]).signed).toEqual([{ key: log.key, time: undefined }]);
    expect(() => openNote(formatNote(good), [witnesses[0]!.key])).toThrow(unverified);
    expect(() => openNote(formatNote(good), [])).toThrow(unverified);
  });

  test('the name counts, and the id', async () => {
    const { text: body, signatures } = await signed(text);
    const renamed = formatNote({ text: body, signatures: [{ ...signatures[0]!, name: 'other.example' }] });
    expect(() => openNote(renamed, [log.key])).toThrow(unverified);
    const other = formatNote({ text: body, signatures: [{ ...signatures[0]!, id: '00000000' }] });
    expect(() => openNote(other, [log.key])).toThrow(unverified);
    // Two keys of one id, of which one signed.
    const twin = { ...otherLog.key, name: ORIGIN, id: log.key.id };
    expect(openNote(formatNote({ text: body, signatures }), [twin, log.key]).signed).toEqual([
      { key: log.key, time: undefined },
    ]);
  });
});

describe('checkpoints', () => {
  test('three lines; extensions are passed over', () => {
    expect(text).toBe(`${ORIGIN}\n12\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n`);
    expect(parseCheckpoint(text)).toEqual({ origin: ORIGIN, size: 12, root });
    expect(parseCheckpoint(`${text}more\nand more\n`)).toEqual({ origin: ORIGIN, size: 12, root });
    const greatest = formatCheckpoint({ origin: 'a', size: 2 ** 53 - 1, root });
    expect(parseCheckpoint(greatest).size).toBe(2 ** 53 - 1);
  });

  test('other forms are refused', () => {
    const [origin, size, hash] = text.split('\n') as [string, string, string];
    for (const other of [
      '',
      '\n',
      `${origin}\n${size}\n`,
      `${origin}\n${size}\n${hash}`,
      `${text}\n`,
      `${text}\nmore\n`,
      `\n${size}\n${hash}\n`,
      `a b\n${size}\n${hash}\n`,
      ...['', '-1', '+1', '012', '1.0', '1e3', '0x1', ' 1', '1 ', '9007199254740992', '99999999999999999999', '١'].map(
        (wrong) => `${origin}\n${wrong}\n${hash}\n`,
      ),
      `${origin}\n${size}\n${hash.slice(4)}\n`,
      `${origin}\n${size}\n${hash}=\n`,
      `${origin}\n${size}\n${hash.slice(0, -1)}\n`,
      `${origin}\n${size}\n${hash.slice(0, -2)}V=\n`,
      text.replaceAll('\n', '\r\n'),
    ]) {
      expect(() => parseCheckpoint(other), JSON.stringify(other)).toThrow(malformed);
    }
    expect(() => parseCheckpoint(`${text}${'x'.repeat(LOG_BOUNDS.note)}\n`)).toThrow(tooLong);
    expect(() => formatCheckpoint({ origin: 'a\nb', size: 1, root })).toThrow(malformed);
    expect(() => formatCheckpoint({ origin: 'a', size: 2 ** 53, root })).toThrow(RangeError);
    expect(() => formatCheckpoint({ origin: 'a', size: 1, root: root.slice(1) })).toThrow(RangeError);
  });

  test('a key signs for the log of its name alone', async () => {
    const own = openCheckpoint(formatNote(await signed(text)), [log.key, otherLog.key]);
    expect(own.checkpoint).toEqual({ origin: ORIGIN, size: 12, root });
    const foreign = formatNote(await signed(text, [otherLog]));
    expect(() => openCheckpoint(foreign, [log.key, otherLog.key])).toThrow(unverified);
    // A witness that has the name of the log says nothing for it.
    const imposter = testKey(ORIGIN, 'cosignature', 6);
    const line = await cosign(text, 1_700_000_000, imposter.key, imposter.sign);
    expect(() => openCheckpoint(formatNote({ text, signatures: [line] }), [imposter.key])).toThrow(unverified);
  });
});

describe('cosignatures', () => {
  const [witness] = witnesses as [(typeof witnesses)[0]];
  const time = 1_700_000_000;

  test('are over two lines and the checkpoint, and carry their time', async () => {
    const line = await cosign(text, time, witness.key, witness.sign);
    expect(Buffer.from(line.signature.subarray(0, 8)).readBigUInt64BE()).toBe(BigInt(time));
    const message = bytes(`cosignature/v1\ntime ${time}\n${text}`);
    expect(portable.verify(line.signature.subarray(8), message, witness.key.publicKey)).toBe(true);
    expect(verifyCosignature(text, line.signature, witness.key)).toBe(time);
    const { signed: signers } = openCheckpoint(
      formatNote({ text, signatures: [...(await signed(text)).signatures, line] }),
      [log.key, witness.key],
    );
    expect(signers).toEqual([
      { key: log.key, time: undefined },
      { key: witness.key, time },
    ]);
  });

  test('times at their bounds', async () => {
    for (const good of [1, 2 ** 32, 2 ** 53 - 1]) {
      const { signature } = await cosign(text, good, witness.key, witness.sign);
      expect(verifyCosignature(text, signature, witness.key)).toBe(good);
    }
    for (const bad of [0, -1, 1.5, 2 ** 53]) {
      await expect(cosign(text, bad, witness.key, witness.sign)).rejects.toThrow(RangeError);
    }
    const atZero = portable.sign(bytes(`cosignature/v1\ntime 0\n${text}`), new Uint8Array(32).fill(3));
    expect(verifyCosignature(text, new Uint8Array([...new Uint8Array(8), ...atZero]), witness.key)).toBeUndefined();
    await expect(cosign(text, time, log.key, log.sign)).rejects.toThrow(TypeError);
  });

  test('anything altered is refused', async () => {
    const line = await cosign(text, time, witness.key, witness.sign);
    for (let bit = 0; bit < line.signature.length * 8; bit += 7) {
      expect(verifyCosignature(text, turned(line.signature, bit), witness.key)).toBeUndefined();
    }
    expect(verifyCosignature(text.replace('12', '13'), line.signature, witness.key)).toBeUndefined();
    expect(verifyCosignature(text, line.signature, witnesses[1]!.key)).toBeUndefined();
    expect(verifyCosignature(text, line.signature, { ...witness.key, use: 'note' })).toBeUndefined();
    expect(verifyCosignature(text, new Uint8Array(3), witness.key)).toBeUndefined();
    const plain = await signNote(text, { ...witness.key, use: 'note' }, witness.sign);
    expect(verifyCosignature(text, plain.signature, witness.key)).toBeUndefined();
  });
});
