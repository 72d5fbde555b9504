import type { JsonObject } from '@countersign/protocol';
import type { Option } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import { usage } from '../../terminal/failure.js';
import { parseInputObject, resolveText } from '../../terminal/input.js';

/** What the signer says with the signature. */
export const STATEMENT: readonly Option[] = [
  { flags: '--add-label <label...>', about: 'add labels' },
  { flags: '--remove-label <label...>', about: 'remove labels' },
  {
    flags: '--say <statement>',
    about: 'what else the proof says: name=text, or an object as JSON for more; @file reads a file',
  },
];

/** Values that the data refers to. */
export const SECRET: readonly Option[] = [
  { flags: '--secret-value <name=value...>', about: 'value of {{ secret.name }} in the data; name=@file reads a file' },
];

/** The custom data of the proof that flags tell. */
export async function statementOf(invocation: Invocation): Promise<JsonObject> {
  const text = invocation.get('say');
  const said = text === undefined ? {} : saidBy(await resolveText(text, () => invocation.input()));
  const added = invocation.all('add-label');
  const removed = invocation.all('remove-label');
  if (added.length > 0 && removed.length > 0) throw usage('One proof adds labels or removes them.', 'sign twice');
  if (added.length + removed.length > 0 && said.labels !== undefined)
    throw usage('Labels are given by an option of their own and by --say.');
  if (added.length > 0) said.labels = { $push: [...added] };
  if (removed.length > 0) said.labels = { $pullAll: [...removed] };
  return said;
}

function saidBy(text: string): JsonObject {
  const [, name, value] = /^([A-Za-z][\w-]*)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { [name]: value };
  if (!text.trim().startsWith('{')) {
    throw usage(
      '--say is neither name=text nor a JSON object.',
      `such as --say note=seen, or --say '{"note": "seen"}'`,
    );
  }
  return parseInputObject(text, '--say');
}

/** The values of secrets that flags tell. */
export async function secretsOf(invocation: Invocation): Promise<{ secret?: Record<string, string> }> {
  const secret: Record<string, string> = {};
  for (const given of invocation.all('secret-value')) {
    const [, name, value] = /^([A-Za-z][A-Za-z0-9]*)=(.*)$/s.exec(given) ?? [];
    if (name === undefined || value === undefined) throw usage('--secret-value is name=value.');
    if (Object.hasOwn(secret, name)) throw usage(`--secret-value gives ${name} twice.`);
    secret[name] = await resolveText(value, () => invocation.input());
  }
  return Object.keys(secret).length === 0 ? {} : { secret };
}
