import { LedgerError } from '@countersign/protocol';
import { authorize } from '../authorization/authorize.js';
import { callerOfRead } from '../authorization/caller.js';
import { conditionsOf } from '../authorization/conditions.js';
import { subjectOf } from '../authorization/context.js';
import type { Kind } from '../kinds/kind.js';
import { assetPath } from '../kinds/reports/asset-path.js';
import { inSession, type Session } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import { getRecord } from '../records/stored-record.js';
import { EVERY_OPERATION, type Operation } from './operation.js';

/**
 * `GET /reports/{id}/assets/{asset}` (interface/reports#download-of-an-asset): a generated file that `meta.assets` names,
 * for who may read the report.
 *
 * @returns 200 with the file, which is open
 * @throws `record.not-found` for an asset that the report does not name, or whose file is not in the operator's folder
 */
export async function readAsset(session: Session, kind: Kind, command: Command): Promise<Answer> {
  const asset = command.params.asset ?? '';
  const path = await inSession(session, (session) => readablePath(session, kind, command, asset));
  const file = await session.openAsset?.(session.ledger.id, path);
  if (!file) throw assetNotFound(asset);
  return { status: 200, file: { ...file, name: asset }, confidential: true };
}

/** Where the file lies, after the rules let the caller read the report. */
async function readablePath(session: Session, kind: Kind, command: Command, asset: string): Promise<string[]> {
  const { record } = await getRecord(session, kind, command);
  const subject = subjectOf(kind, record);
  const caller = await callerOfRead(session, command.token);
  const conditions = await conditionsOf(session, caller, subject);
  await authorize(session, caller, { action: 'read', kind, subject, conditions });
  const { data, luid, meta } = record;
  if (!meta.assets?.some(({ handle }) => handle === asset)) throw assetNotFound(asset);
  return assetPath({ ledger: session.ledger.handle, domain: meta.domain, schema: String(data.schema), luid }, asset);
}

function assetNotFound(asset: string): LedgerError {
  return new LedgerError('record.not-found', `Asset ${asset} not found`);
}

/** The operation `asset`. */
export const readRecordAsset: Operation = {
  name: 'asset',
  isOf: ({ lifecycle }) => lifecycle.assets === true,
  routes: () => [{ method: 'GET', of: 'record', path: '/assets/:asset' }],
  perform: readAsset,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'] },
  description: {
    id: (one) => `read${one}Asset`,
    summary: (one) => `Download a generated file of ${one}`,
    answers: () => ({ 200: { text: 'The file, to be saved under its name.', isFile: true } }),
  },
};
