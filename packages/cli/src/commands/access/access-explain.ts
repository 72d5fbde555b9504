import { isRefusal, type Ledger } from '@countersign/client';
import { DESCRIPTION } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { findTarget, makeClient, openKey, openLedger, requireLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import {
  type ExplainedRule,
  findGrantingRules,
  readableBy,
  type StandingRule,
  textOfGranting,
} from '../../explain/granting.js';
import { type AskedAction, type Asker, remarkOn } from '../../explain/rule.js';
import { usage } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import type { Operations } from '../records/kind.js';
import { findKind } from '../records/kind-names.js';
import { collectStandingRules } from './standing-rules.js';

/** What is found out, for people and programs. */
interface AccessFinding {
  readonly granted: boolean;
  readonly why: string;
  /** The rules that grant it, as the ledger tells: without those whom they are for. */
  readonly rules: readonly Json[];
  /** The same with their conditions, where they could be read. */
  readonly granting: readonly ExplainedRule[];
  /** Rules that come near, and what they lack. */
  readonly near: readonly { readonly level: string; readonly rule: Json; readonly remark: string }[];
}

const CHECKED = DESCRIPTION.filter(
  ({ operations, parent }) => parent === undefined && operations.some(({ name }) => name === 'check'),
);

export const accessExplain: CliCommand = {
  path: ['access', 'explain'],
  summary: 'Tell why an action on a record is granted or refused',
  about:
    'The ledger itself tells which rules grant it, and whether the gate is open. Where none does, the rules that come near are ' +
    'shown with what they lack. For an action on what does not exist yet, such as create, name the ledger: ' +
    '`access explain ledger create --record-name wallet`.',
  arguments: [
    { name: 'record', about: 'kind/handle, such as wallet/shop; ledger is the ledger itself' },
    { name: 'action', about: 'such as read, update, drop, create' },
  ],
  options: [
    { flags: '--as <key>', about: 'ask for another key of the key store' },
    { flags: '--record-name <name>', about: 'what the action is on, as rules name it, where it is another kind' },
  ],
  connects: true,
  examples: [
    { call: 'countersign access explain wallet/shop read', about: 'may my key read it, and why' },
    { call: 'countersign access explain ledger create --record-name wallet --as ben', about: 'may ben make wallets' },
  ],
  async run(invocation) {
    const { kind, id } = parseRecordPath(await invocation.need('record'));
    const action = await invocation.need('action');
    const asked: AskedAction = { action, record: invocation.get('record-name') ?? kind };
    const { ledger, asker } = await asWhom(invocation);
    const finding = await findOut(ledger, kind, id, asked, asker);
    const { output } = invocation;
    output.result({ ...finding } as unknown as Json, () => describeFinding(finding, asked));
  },
};

function parseRecordPath(text: string): { kind: string; id: string[] } {
  const [name = '', ...rest] = text.split('/');
  const kind = findKind(name)?.record ?? '';
  if (!CHECKED.some(({ record }) => record === kind)) {
    throw usage(`'${name}' is not a kind of record.`, `use one of ${CHECKED.map(({ record }) => record).join(', ')}`);
  }
  if (kind === 'ledger') return { kind, id: [] };
  const id = rest.join('/');
  if (id === '') throw usage('The record is missing.', `give ${kind}/<handle>`);
  return { kind, id: [id] };
}

async function asWhom(invocation: Invocation): Promise<{ ledger: Ledger; asker: Asker }> {
  const other = invocation.get('as');
  const open = other === undefined ? await openLedger(invocation, true) : undefined;
  if (open?.key !== undefined)
    return { ledger: open.ledger, asker: { public: open.key.public, handle: open.target.signer } };
  const target = await findTarget(invocation);
  const key = await openKey(invocation, other as string);
  const ledger = await makeClient({ ...target, signer: other as string }, key, requireLedger(target));
  return { ledger, asker: { public: key.public, handle: other } };
}

async function findOut(
  ledger: Ledger,
  kind: string,
  id: string[],
  asked: AskedAction,
  asker: Asker,
): Promise<AccessFinding> {
  const operations = ledger.kind(kind as Parameters<Ledger['kind']>[0]) as unknown as Operations;
  const rulesOf = async (action: string, record?: string): Promise<Json[]> => {
    const options = record === undefined || record === kind ? {} : { record };
    const rules: { readonly data: Json }[] = await operations.check(...id, action, options);
    return rules.map(({ data }) => data);
  };
  const rules = await rulesOf(asked.action, asked.record);
  const gate = await (ledger.record as unknown as Operations).check('access', {});
  const isOpen = (gate as readonly unknown[]).length > 0;
  const standing = await collectStandingRules(ledger, operations, id);
  const granting = findGrantingRules(rules, standing, kind, asker);
  const near = nearRules(standing, asked, asker);
  const isRead = asked.action === 'read' && asked.record === kind;
  if (isRead) {
    const isReadable = await canRead(operations, id);
    const why = isReadable
      ? 'The ledger let the key read it by a token.'
      : 'No rule grants it to a token of the key, and a read carries a token only.';
    return isReadable
      ? { granted: true, why, rules, granting: readableBy(standing, asked, asker), near: [] }
      : { granted: false, why, rules, granting, near };
  }
  if (rules.length > 0 && isOpen)
    return { granted: true, why: 'These rules grant it, and the gate is open.', rules, granting, near: [] };
  const why = isOpen
    ? 'No rule grants it to the key.'
    : 'The gate is closed: no rule of the ledger grants the key `access`, so that no other rule counts (docs/interface/access.md#gate).';
  return { granted: false, why, rules, granting, near };
}

async function canRead(operations: Operations, id: string[]): Promise<boolean> {
  try {
    await operations.get(...id);
    return true;
  } catch (error) {
    if (isRefusal(error, 'auth.forbidden') || isRefusal(error, 'auth.unauthorized')) return false;
    throw error;
  }
}

/** The rules that come near. */
function nearRules(standing: readonly StandingRule[], asked: AskedAction, asker: Asker) {
  return standing.flatMap(({ level, rule }) => {
    const remark = remarkOn(rule, level, asked, asker);
    return remark === undefined ? [] : [{ level, rule, remark }];
  });
}

function describeFinding({ granted, why, granting, near }: AccessFinding, { action, record }: AskedAction): string {
  const lines = [`${granted ? 'Granted' : 'Refused'}: ${action} on ${record}. ${why}`];
  for (const rule of granting) {
    const [what, whom] = textOfGranting(rule);
    lines.push(`  rule that grants it, ${what}`, `  ${whom}`);
  }
  for (const { level, rule, remark } of near) {
    lines.push(`  near, of the ${level}: ${JSON.stringify(rule)}`, `    ${remark}`);
  }
  return lines.map(printable).join('\n');
}
