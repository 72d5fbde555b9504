/**
 * Writes `vectors/log.json`, for those who write verifiers. Uses none of our code: node:crypto, and RFC 6962 as it is
 * written, so that the vectors judge the implementation instead of repeating it. Run with `node`.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const ORIGIN = 'ledger.example/log/ldg.-1AbCdEfGhIjKlMnOp';
const LEDGER = '$ldg.-1AbCdEfGhIjKlMnOp';
const WITNESS = 'witness.example/w1';
const TIME = 1_700_000_000;
const LEAVES = 300;
/** Sizes whose roots are published: small ones, and those around the edge of a tile. */
const SIZES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 255, 256, 257, LEAVES];

const sha = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const base64 = (bytes) => Buffer.from(bytes).toString('base64');

function keyOf(name, type, byte) {
  const secret = Buffer.alloc(32, byte);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32);
  const typed = Buffer.concat([Buffer.from([type]), raw]);
  const id = sha(`${name}\n`, typed).subarray(0, 4);
  return {
    name,
    secret: secret.toString('hex'),
    vkey: `${name}+${id.toString('hex')}+${base64(typed)}`,
    line: (message, before = Buffer.alloc(0)) =>
      `— ${name} ${base64(Buffer.concat([id, before, sign(null, Buffer.from(message, 'utf8'), key)]))}\n`,
  };
}

/** The served text of each change: several kinds, several changes of a record, text beyond ASCII, escapes, a newline. */
function fieldsAt(index) {
  const kind = ['wallet', 'symbol', 'intent'][index % 3];
  const texts = [
    `{"hash":"${sha(`data ${index}`).toString('hex')}","data":{"handle":"h${index}"}}`,
    `{"data":{"handle":"w-é","note":"字 👩 \\n"}}`,
    `{\n "data": ${index}\n}`,
  ];
  return {
    salt: base64(sha(`salt ${index}`).subarray(0, 16)),
    ledger: LEDGER,
    kind,
    luid: `$${kind.slice(0, 3)}.-${String(index >> 1).padStart(17, '0')}`,
    change: 1 + (index % 2),
    action: ['create', 'update'][index % 2],
    text: texts[index % texts.length],
  };
}

function leafAt(index) {
  const fields = fieldsAt(index);
  const { salt, ledger, kind, luid, change, action, text } = fields;
  const commitment = sha(`countersign/leaf/v1\n${salt}\n${ledger}\n${kind}\n${luid}\n${change}\n${action}\n${text}`);
  const entry = Buffer.concat([Buffer.from([1]), commitment]);
  return { fields, commitment, entry, hash: sha(Buffer.from([0]), entry) };
}

const split = (count) => {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
};
function root(hashes) {
  if (hashes.length < 2) return hashes[0] ?? sha();
  const at = split(hashes.length);
  return sha(Buffer.from([1]), root(hashes.slice(0, at)), root(hashes.slice(at)));
}
function path(index, hashes) {
  if (hashes.length < 2) return [];
  const at = split(hashes.length);
  return index < at
    ? [...path(index, hashes.slice(0, at)), root(hashes.slice(at))]
    : [...path(index - at, hashes.slice(at)), root(hashes.slice(0, at))];
}
function consistency(old, hashes, isWhole = true) {
  if (old === hashes.length) return isWhole ? [] : [root(hashes)];
  const at = split(hashes.length);
  return old <= at
    ? [...consistency(old, hashes.slice(0, at), isWhole), root(hashes.slice(at))]
    : [...consistency(old - at, hashes.slice(at), false), root(hashes.slice(0, at))];
}

const leaves = Array.from({ length: LEAVES }, (_, index) => leafAt(index));
const hashes = leaves.map(({ hash }) => hash);
const log = keyOf(ORIGIN, 1, 1);
const witness = keyOf(WITNESS, 4, 2);
const text = `${ORIGIN}\n${LEAVES}\n${base64(root(hashes))}\n`;
const time = Buffer.alloc(8);
time.writeBigUInt64BE(BigInt(TIME));
const cosignature = witness.line(`cosignature/v1\ntime ${TIME}\n${text}`, time);
const checkpoint = `${text}\n${log.line(text)}${cosignature}`;
const INDEX = 257;
const proof = path(INDEX, hashes).map((hash) => `${base64(hash)}\n`);
const [OLD, SIZE] = [255, LEAVES];

const vectors = {
  leaves: leaves.map(({ fields, commitment, entry, hash }, index) => ({
    index,
    ...fields,
    commitment: base64(commitment),
    entry: base64(entry),
    hash: base64(hash),
  })),
  roots: SIZES.map((size) => ({ size, root: base64(root(hashes.slice(0, size))) })),
  keys: [log, witness].map(({ name, secret, vkey }) => ({ name, secret, vkey })),
  checkpoint,
  cosignature: { time: TIME, text, line: cosignature },
  inclusion: {
    index: INDEX,
    file: `c2sp.org/tlog-proof@v1\nextra ${leaves[INDEX].fields.salt}\nindex ${INDEX}\n${proof.join('')}\n${checkpoint}`,
    policy: `log ${log.vkey}\nwitness w1 ${witness.vkey}\nquorum w1\n`,
  },
  consistency: {
    old: OLD,
    size: SIZE,
    oldRoot: base64(root(hashes.slice(0, OLD))),
    root: base64(root(hashes.slice(0, SIZE))),
    proof: consistency(OLD, hashes.slice(0, SIZE)).map(base64),
  },
};

writeFileSync(new URL('../../vectors/log.json', import.meta.url), `${JSON.stringify(vectors, null, 1)}\n`);
