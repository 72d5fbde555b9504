import type { Ledger, RecordName } from '@countersign/client';
import { DESCRIPTION } from '@countersign/client/description';
import {
  type AccessFinding,
  type AskedAction,
  type Asker,
  explainAccess,
  textOfGranting,
} from '@countersign/client/explain';
import type { Json } from '@countersign/protocol';
import { findTarget, makeClient, openKey, openLedger, requireLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { usage } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { findKind } from '../records/kind-names.js';

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
    const finding = await explainAccess(ledger, { kind: kind as RecordName, id: id[0] }, asked, asker);
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
