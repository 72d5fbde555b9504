import { decodeBase64 } from '@countersign/protocol';
import { isHandle } from './base/handle.js';
import { parseHost, parsePort, parseUrl } from './config-values.js';

/** Whose requests the operators' listener takes. */
export interface OperatorKey {
  /** By which the log names who asked. */
  readonly name: string;
  /** Ed25519, base64. */
  readonly public: string;
}

/** Where operators are served, and which of them. */
export interface OperatorConfig {
  /** The TCP port of the operators' listener; undefined where there is none. */
  readonly adminPort: number | undefined;
  readonly adminHost: string;
  /** What operators call, where it is not the address that is listened at. It ends without a slash. */
  readonly adminUrl: string | undefined;
  readonly operatorKeys: readonly OperatorKey[];
}

const MOST_KEYS = 20;

function parseOperators(text: string): OperatorKey[] {
  const operators = text.split(',').map((part) => {
    const [, name = '', key = ''] = /^([^=]+)=([A-Za-z0-9+/]{43}=)$/.exec(part.trim()) ?? [];
    return { name, public: key };
  });
  const isRight = operators.every((one) => isHandle(one.name) && decodeBase64(one.public)?.length === 32);
  const [names, keys] = [operators.map(({ name }) => name), operators.map((one) => one.public)];
  if (!isRight || [names, keys].some((all) => new Set(all).size < all.length) || operators.length > MOST_KEYS)
    throw new Error(
      `must be at most ${MOST_KEYS} names with public keys (Ed25519, base64), each once, such as alice=6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=, separated by commas`,
    );
  return operators;
}

/** The settings of the operators' listener. */
export const operatorSettings = {
  adminPort: {
    name: 'ADMIN_PORT',
    default: 'off',
    meaning:
      'The TCP port at which [operators are served](operators.md): those of `OPERATOR_KEYS`. Off, `countersign admin` works at the host of the server alone.',
    read: (text = 'off') => (text === 'off' ? undefined : parsePort(text, 'a number from 1 to 65535, or off')),
  },
  adminHost: {
    name: 'ADMIN_HOST',
    default: '`127.0.0.1`',
    meaning: 'The address for operators. It has no TLS: name one that only they, or a proxy with TLS, can reach.',
    read: (text = '127.0.0.1') => parseHost(text),
  },
  adminUrl: {
    name: 'ADMIN_URL',
    default: '`http://ADMIN_HOST:ADMIN_PORT`',
    meaning:
      'What operators call: their requests are signed for it. Without it `localhost`, `127.0.0.1` and `[::1]` count as one.',
    read: (text) => (text === undefined ? undefined : parseUrl(text, 'https://admin.ledger.example')),
  },
  operatorKeys: {
    name: 'OPERATOR_KEYS',
    default: 'none',
    meaning:
      'At most 20 public keys of operators with their names, as in `alice=6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=`, separated by commas. Each may do all that an operator may.',
    read: (text) => (text === undefined ? [] : parseOperators(text)),
  },
} as const satisfies Record<
  keyof OperatorConfig,
  { name: string; default: string; meaning: string; read: (text: string | undefined) => unknown }
>;
