import type { KindDescription, MemberDescription } from '@countersign/client/description';
import type { Json, JsonObject } from '@countersign/protocol';
import type { Option } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import type { TerminalQuestion } from '../../terminal/ask.js';
import { usage } from '../../terminal/failure.js';
import { parseInput, parseInputObject, resolveText } from '../../terminal/input.js';
import { nameMemberOf, positionOf } from './kind.js';

/** More values than a person picks from a list. */
const MANY = 20;

/** The members that have a flag: those that stand in the path have a position instead, and `--signer` is a key. */
function membersWithFlag(kind: KindDescription): MemberDescription[] {
  const positions = [kind.parent, nameMemberOf(kind).name, 'signer'];
  return kind.members.filter(({ name }) => !positions.includes(name));
}

/** `client-id` of `clientId`. */
export function flagOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A flag for each member of the data, and one for all of it. */
export function memberOptions(kind: KindDescription): Option[] {
  const flags = membersWithFlag(kind).map((member): Option => {
    const values = member.values ?? [];
    const isListed = values.length > 1 && values.length <= MANY && !isNumber(member);
    return {
      flags: `--${flagOf(member.name)} <${placeholder(member)}>`,
      about: aboutOf(member),
      ...(isListed ? { choices: values.map(String) } : {}),
    };
  });
  return [
    ...flags,
    { flags: '--data <json>', about: 'the whole data, an object; flags come before it; @file reads a file' },
  ];
}

function aboutOf(member: MemberDescription): string {
  const { values = [], isRequired } = member;
  const shown = values.length === 1 ? `; ${values[0]} unless given` : '';
  const form = isTextMember(member) ? '' : ' as JSON; @file reads a file';
  return `member ${member.name} of the data${isRequired ? ', required' : ''}${form}${shown}`;
}

function placeholder(member: MemberDescription): string {
  return isTextMember(member) ? 'text' : isNumber(member) ? 'number' : 'json';
}

function isTextMember({ type }: MemberDescription): boolean {
  return type === 'string';
}

function isNumber({ type }: MemberDescription): boolean {
  return type === 'integer' || type === 'number';
}

/** The data that flags tell. */
export async function dataOfFlags(kind: KindDescription, invocation: Invocation): Promise<JsonObject> {
  const read = (text: string) => resolveText(text, () => invocation.input());
  const whole = invocation.get('data');
  const data = whole === undefined ? {} : parseInputObject(await read(whole), '--data');
  for (const member of membersWithFlag(kind)) {
    const text = invocation.get(flagOf(member.name));
    if (text !== undefined) data[member.name] = await parseMember(member, text, read);
  }
  return data;
}

/** The data of a new record: what flags tell, and answers for what is required beside. */
export async function newRecordData(kind: KindDescription, invocation: Invocation): Promise<JsonObject> {
  const data = await dataOfFlags(kind, invocation);
  const name = nameMemberOf(kind);
  const position = positionOf(name.name);
  if (data[name.name] === undefined || invocation.get(position) !== undefined) {
    data[name.name] = await invocation.need(position);
  }
  for (const member of kind.members) {
    if (!member.isRequired || data[member.name] !== undefined || member.name === kind.parent) continue;
    // There is nothing to choose.
    if (member.values?.length === 1) {
      data[member.name] = member.values[0] as Json;
      continue;
    }
    const text = await invocation.need(flagOf(member.name), questionOf(member));
    data[member.name] = await parseMember(member, text, (given) => resolveText(given, () => invocation.input()));
  }
  return data;
}

function questionOf(member: MemberDescription): TerminalQuestion {
  const { name, values = [] } = member;
  if (values.length > 1) return { kind: 'select', message: name, choices: values.map(String) };
  return { kind: 'text', message: isTextMember(member) || isNumber(member) ? name : `${name} (JSON)` };
}

async function parseMember(
  member: MemberDescription,
  text: string,
  read: (text: string) => Promise<string>,
): Promise<Json> {
  if (isTextMember(member)) return text;
  const given = await read(text);
  // A member that may be text or more: what is no JSON is text.
  const mayBeText = Array.isArray(member.type) && member.type.includes('string');
  if (mayBeText && !/^[[{"]/.test(given.trim())) return given;
  const value = isNumber(member) ? numberOrText(given) : parseInput(given, `--${flagOf(member.name)}`);
  if (isNumber(member)) assertNumber(member, value);
  return value;
}

function numberOrText(text: string): Json {
  return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
}

/** @throws Failure for what is no number, or none of those that the member may be */
function assertNumber({ name, values = [] }: MemberDescription, value: Json): void {
  if (typeof value === 'number' && (values.length === 0 || values.includes(value))) return;
  const advice =
    values.length > 1 ? `give one of ${values.slice(0, 3).join(', ')} and so on, to ${values.at(-1)}` : undefined;
  throw usage(`'${value}' is not a valid ${name}.`, advice);
}
