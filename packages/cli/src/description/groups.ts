import type { CliCommand } from './command.js';

/** What the first words of commands stand for. */
const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  key: 'Keep private keys on this machine, encrypted',
  context: 'Choose between servers, ledgers and keys',
  ledger: 'Make, choose and look at ledgers',
  access: 'Find out why an action is allowed or refused',
  oauth: 'Client credentials and their tokens',
  layout: 'Templates of records, and which of them a ledger lacks',
  events: 'Deliveries of events',
  log: 'Logs of ledgers, for operators',
  admin: 'See and govern the tenants of a server, at its host or from afar',
};

/** What a first word stands for; of a kind of record, work with its records. */
export function aboutGroup(word: string): string {
  return COMMAND_GROUPS[word] ?? `Work with ${pluralOf(word.replace('-', ' '))}`;
}

/** `policies`, `signer factors`. */
export function pluralOf(noun: string): string {
  return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** What help shows behind the options. */
export function helpBehind({ examples = [] }: CliCommand): string {
  if (examples.length === 0) return '';
  return `\nExamples:\n${examples.map(({ call, about }) => `  $ ${call}\n      ${about}`).join('\n')}`;
}
