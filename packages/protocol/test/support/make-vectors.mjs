/**
 * Writes `vectors/proofs.json`. Uses none of our code: `canonicalize` for RFC 8785 and node:crypto for the rest, so
 * that the vectors judge the implementation instead of repeating it. Run with `node`, only to add vectors.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import canonicalize from 'canonicalize';

/** Each `data` and `custom` is JSON text, spliced in as it is: parsing and writing anew would hide what it tests. */
const cases = [
  {
    name: 'the vector of the contract',
    data: String.raw`{"handle":"w-é","custom":{"b":1.50,"a":[true,null,"x/y"],"Z":"\"q\""}}`,
    custom: '{"moment":"2030-01-02T03:04:05.006Z","status":"created"}',
  },
  {
    name: 'the same without custom',
    data: String.raw`{"handle":"w-é","custom":{"b":1.50,"a":[true,null,"x/y"],"Z":"\"q\""}}`,
  },
  { name: 'an empty list', data: '[]', custom: '{"moment":"2030-01-02T03:04:05.006Z"}' },
  { name: 'an empty object, empty custom', data: '{}', custom: '{}' },
  { name: 'null', data: 'null' },
  { name: 'a text alone', data: '"ledger"' },
  {
    name: 'the data of a drop',
    data: '{"parent":"2c0dc93ad9006e2932d47cac98a904c0c2980af16873b3d4ab153c251466f9b4"}',
    custom: '{"reason":"no longer needed","status":"dropped","moment":"2030-01-02T03:04:05.006Z"}',
  },
  { name: 'white space between tokens', data: ' { "b" : [ 1 ,\n\t2 ] , "a" : { } } ' },
  { name: 'integers at the edge of exactness', data: '[0,1,-1,9007199254740991,-9007199254740991]' },
  { name: 'minus zero is zero', data: '{"a":-0,"b":-0.0,"c":[-0e5]}' },
  { name: 'numbers around the exponent forms', data: '[1e21,1e20,123456789012345680000,1e-6,1e-7,0.000001,0.0000001]' },
  {
    name: 'the smallest and greatest doubles',
    data: '[5e-324,-5e-324,2.2250738585072014e-308,1.7976931348623157e308]',
  },
  { name: 'decimals that binary only approaches', data: '[0.1,0.2,0.30000000000000004,333333333.33333329,4.50,2e-3]' },
  { name: 'one number in several spellings', data: '[100,1e2,1E+2,100.0,1000e-1]' },
  { name: 'keys sort by code unit, not by length', data: '{"b":1,"aa":2,"a":3,"B":4,"1":5,"10":6,"2":7,"":8}' },
  {
    name: 'keys beyond the basic plane sort before the end of it',
    data: '{"\uffee":1,"\ud83d\ude00":2,"\ue000":3,"é":4,"z":5}',
  },
  { name: 'keys that need escapes', data: String.raw`{"\n":1,"\"":2,"\\":3,"/":4,"\u0001":5,"\u007f":6}` },
  {
    name: 'control characters, short and long escapes',
    data: String.raw`"\b\t\n\f\r\u0001\u000b\u001f\"\\\/ \u007f\u0080"`,
  },
  { name: 'escapes of plain characters vanish', data: String.raw`{"\u0061":"\u0062\u00e9\u20ac\ud83d\ude00"}` },
  { name: 'line and paragraph separators stay raw', data: String.raw`"a\u2028b\u2029c"` },
  { name: 'text is not normalised', data: String.raw`["\u00e9","e\u0301","\u212b","\u00c5"]` },
  { name: 'a text that looks like an escape of a surrogate', data: String.raw`"\\ud800 \\\\ud800"` },
  {
    name: 'right to left, combining, joined and private characters',
    data: '{"שלום":"مرحبا","किताब":"👩‍👩‍👧","字":"\uf8ff"}',
  },
  {
    name: 'nested objects sort at every level',
    data: '{"z":{"y":{"x":{"b":[{"d":1,"c":2},[{"f":3,"e":4}]],"a":{}}}},"a":[[],[[]],[[[]]]]}',
  },
  { name: 'literals', data: '{"t":true,"f":false,"n":null,"l":[true,false,null]}' },
  {
    name: 'members that objects have by themselves',
    data: '{"toString":"a","length":2,"constructor":"b","hasOwnProperty":true,"toJSON":null}',
  },
  {
    name: 'a wallet with rules',
    data: '{"handle":"tel:123@bank.example","schema":"person","custom":{"name":"Zoë","tier":1},"access":[{"action":"any","signer":{"public":"6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw="}},{"action":{"$in":["read","query"]},"record":"any"}]}',
    custom: '{"status":"created","moment":"2030-01-02T03:04:05.006Z","note":{"b":"ü","a":[1.0,-0,1e1]}}',
    secret: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  },
  {
    name: 'what the server signs on a create',
    data: '{"handle":"euro","factor":100}',
    custom: '{"luid":"$sym.-3a0Xk1bQ2cR3dS4e","moment":"2030-01-02T03:04:05.120Z","status":"created"}',
    secret: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  },
];

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const hex = (text) => createHash('sha256').update(text, 'utf8').digest('hex');

function vector({ name, data, custom, secret = '07'.repeat(32) }) {
  const canonical = canonicalize(JSON.parse(data));
  const hash = hex(canonical);
  const digest = hex(custom === undefined ? hash : hash + canonicalize(JSON.parse(custom)));
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(secret, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
  const members = {
    name: JSON.stringify(name),
    data: data.trim(),
    canonical: JSON.stringify(canonical),
    hash: JSON.stringify(hash),
    ...(custom !== undefined && { custom }),
    digest: JSON.stringify(digest),
    secret: JSON.stringify(secret),
    public: JSON.stringify(
      createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64'),
    ),
    result: JSON.stringify(sign(null, Buffer.from(digest, 'hex'), key).toString('base64')),
  };
  return `  {\n${Object.entries(members)
    .map(([key, text]) => `    "${key}": ${text}`)
    .join(',\n')}\n  }`;
}

writeFileSync(new URL('../../vectors/proofs.json', import.meta.url), `[\n${cases.map(vector).join(',\n')}\n]\n`);
