/** The description of the document: what a client must know before its first request (interface/envelope). */
export function describeInterface(release: string, build: string): string {
  return `A self-hosted ledger of signed records. This is release ${release} of the interface, served by build ${build}.

## Records

Every record, version, list and error has the same form: \`data\`, its \`hash\`, and \`meta\` with the proofs over the hash. A record has a \`luid\` too, which names it for ever. \`x-ledger\` says which ledger a request is for.

## Sign a request

Creates, updates, drops and checks are bodies of \`{hash, data, meta: {proofs}}\`. To make one:

1. Write \`data\` as canonical JSON (RFC 8785): no spaces, members sorted, UTF-8.
2. \`hash\` is the SHA-256 of that text, in lower-case hex.
3. Say who signs what, when: \`custom\` is \`{"moment": "<now, ISO 8601 in UTC>", "ledger": "<handle>", "record": "<kind>"}\`, and \`status\` where one is asked for.
4. \`digest\` is the SHA-256 of the text of \`hash\` followed by the canonical JSON of \`custom\`, in hex.
5. \`result\` is the Ed25519 signature (RFC 8032) over the 32 bytes of \`digest\`, in base64.
6. The proof is \`{"method": "ed25519-v2", "public": "<base64 of the raw key>", "digest", "result", "custom"}\`.

\`data\` of an update and of a drop holds \`parent\`, the hash of the version that it is about. A proof added to a record is a proof over the record's hash, as the whole body.

## Verify an answer

Hash \`data\` and compare; verify each proof over the hash in the same way. The last proof of an answer is by the ledger: compare its key with that of \`GET /signers/system\`, which you keep.

## Tokens

Reads show who asks by a bearer token; a signed body needs none. A client signs a token itself: a JWT with the header \`{"alg": "EdDSA", "kid": "<base64 of the raw key>"}\` and the claims \`iss\`, \`aud\`, \`iat\` and \`exp\`, and optionally \`sub\`, \`jti\` and \`hsh\`. Where an identity provider signs (RS256), the body may be left unsigned: the ledger signs in the name of the token's \`sub\`.

## Retries

After a lost answer send the very same body again: it is stored once. \`retry-after\` says when, at 429 and 503.

## Errors

\`data.reason\` says what was wrong; decide by it. \`data.detail\` is for people.`;
}

/** What the bearer token is (interface/tokens). */
export const BEARER_DESCRIPTION =
  'A JWT. Self-signed with the Ed25519 key of the caller (`EdDSA`, `kid` the key in base64 or the handle of a signer), or by a provider that the ledger trusts (`RS256`; `POST /oauth/token` gives one). Requests with a signed body need none.';
