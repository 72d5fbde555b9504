import {
  canonical,
  decodeBase64,
  decodeHex,
  digest as digestOf,
  isObject,
  type Json,
  type JsonObject,
  type RecordEnvelope,
  readJson,
  type Suite,
} from '@countersign/protocol';
import type { SentProof } from './sent-record.js';

/** Characters of data that are hashed again to find a mistake. */
const REHASHED_CHARACTERS = 16_384;

/** Members that programs hold as `undefined` or null, and leave out when they send. */
const OPTIONAL = ['custom', 'access', 'schema', 'parent', 'config', 'bridge', 'routes', 'filter', 'secret'] as const;

/**
 * What the sent hash is a hash of, where that is a known mistake (interface/errors#hints).
 *
 * @param sent the hash, in lower case
 */
export function hintOnHash(sent: string, data: JsonObject, suite: Suite): string | undefined {
  const text = canonical(data);
  if (text.length > REHASHED_CHARACTERS) return undefined;
  for (const [hint, texts] of mistakes(text, data)) {
    if (texts.some((one) => suite.sha256(one) === sent)) return hint;
  }
  return undefined;
}

function mistakes(text: string, data: JsonObject): [hint: string, texts: string[]][] {
  const asSent = JSON.stringify(data);
  const sorted = readJson(text) as Json;
  const spaced = [data, sorted].flatMap((one) => [
    JSON.stringify(one, null, 2),
    JSON.stringify(one, null, 4),
    wide(one),
  ]);
  const absent = OPTIONAL.filter((name) => !Object.hasOwn(data, name));
  return [
    ['The hash is over the canonical JSON and a newline. Hash it without the newline.', [`${text}\n`]],
    [
      'The hash is over the members in the order in which they were sent. Canonical JSON sorts the members of objects.',
      [asSent, `${asSent}\n`],
    ],
    ['The hash is over JSON with spaces. Canonical JSON has none.', spaced.flatMap((one) => [one, `${one}\n`])],
    ['The hash is over {"data": …}. Hash the value of `data` alone.', [canonical({ data })]],
    [
      'The hash is over `data` without its null members. Members with null count; leave them out of `data` or hash them.',
      [canonical(removeNulls(data))],
    ],
    ...absent.map((name): [string, string[]] => [
      `The hash counts a member \`${name}\` that \`data\` lacks: it was null or undefined. Leave such members out before hashing.`,
      [canonical({ ...data, [name]: null }), withUndefined(data, name)],
    ]),
    [
      'The hash is over numbers written as text. Numbers in `data` are hashed as numbers.',
      [canonical(mapJson(data, (one) => (typeof one === 'number' ? String(one) : one)))],
    ],
    [
      'The hash is over numbers, and `data` has them as text. Send what was hashed.',
      [canonical(mapJson(data, (one) => (isNumeric(one) ? Number(one) : one)))],
    ],
  ];
}

/** JSON with a space behind each colon and comma, as some languages write it. */
function wide(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(wide).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${wide(one as Json)}`)
    .join(', ')}}`;
}

function withUndefined(data: JsonObject, name: string): string {
  const parts = Object.keys({ ...data, [name]: null }).sort();
  return `{${parts.map((one) => `${JSON.stringify(one)}:${one === name ? 'undefined' : canonical(data[one] as Json)}`).join(',')}}`;
}

function removeNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(removeNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(kept.map(([name, one]) => [name, removeNulls(one as Json)]));
}

function mapJson(value: Json, change: (one: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((one) => mapJson(one, change));
  if (!isObject(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapJson(one as Json, change)]));
}

function isNumeric(value: Json): value is string {
  return typeof value === 'string' && value !== '' && String(Number(value)) === value;
}

/** Why a proof does not verify over a hash, where that can be told (interface/errors#hints). */
export function hintOnProof(hash: string, proof: SentProof, suite: Suite): string | undefined {
  const { public: key = '', digest = '', result = '', custom } = proof;
  const sent = digest.toLowerCase();
  const expected = digestOf(hash, custom as JsonObject | undefined, suite);
  if (sent !== expected) return hintOnDigest(hash, sent, custom as JsonObject | undefined, suite);
  const [bytes, signature] = [decodeBase64(key), decodeBase64(result)];
  if (bytes?.length !== 32 || signature?.length !== 64) return undefined;
  if (suite.verify(signature, new TextEncoder().encode(expected), bytes))
    return 'The signature is over the text of the digest. Sign its 32 bytes.';
  if (suite.verify(signature, decodeHex(hash) as Uint8Array, bytes))
    return 'The signature is over the hash. Sign the 32 bytes of the digest.';
  return undefined;
}

function hintOnDigest(hash: string, sent: string, custom: JsonObject | undefined, suite: Suite): string {
  if (sent === hash)
    return 'The digest is the hash itself. It is the SHA-256 of the text of the hash and canonical `custom`.';
  if (custom !== undefined && JSON.stringify(custom).length <= REHASHED_CHARACTERS) {
    if (sent === suite.sha256(hash)) return 'The digest leaves out `custom`, which the proof has.';
    if (sent === suite.sha256(`${hash}${canonical(custom)}\n`)) return 'The digest counts a newline at the end.';
    if (sent === suite.sha256(hash + JSON.stringify(custom)))
      return 'The digest is over `custom` as it was sent. Canonical JSON sorts the members of objects.';
  }
  return 'The digest is not that of this hash and `custom`: the proof is over another record or version, or `custom` was changed.';
}

/** Why `parent` is not the hash of the current version (interface/errors#hints). It never tells that hash. */
export function hintOnParent({ luid }: RecordEnvelope, parent: unknown): string {
  if (parent === undefined) return '`data.parent` is missing: it is the `hash` of the version that this one replaces.';
  if (parent === luid) return '`data.parent` is a luid: it is the `hash` of the version that this one replaces.';
  return '`data.parent` is not the hash of the current version. Read the record again, and sign with its `hash` as `parent`.';
}
