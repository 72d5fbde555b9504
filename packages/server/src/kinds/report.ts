import { isObject, type Json, type JsonObject, LedgerError, type Meta } from '@countersign/protocol';
import { Type } from 'typebox';
import { common, Handle, strictObject } from './data.js';
import type { KindDeclaration, ProvedRecord } from './declaration.js';
import { assertAssetOutput } from './reports/asset-path.js';

const REPORT_STATUSES = ['created', 'pending', 'completed', 'rejected', 'settled'] as const;

/**
 * The statuses that may follow each; a request for the current status leaves it as it is (interface/reports#statuses).
 */
const successors: ReadonlyMap<string, readonly string[]> = new Map([
  ['created', ['pending', 'rejected']],
  ['pending', ['completed', 'rejected']],
  ['completed', ['settled']],
  ['rejected', ['pending', 'completed']],
]);

/** A job that runs elsewhere, with its status (interface/reports). Its data never changes. */
export const reportKind: KindDeclaration = {
  name: 'report',
  about: 'Something that is generated elsewhere, and how far that has come.',
  title: 'Report',
  missing: 'Report',
  prefix: 'rep',
  path: 'reports',
  data: {
    shape: strictObject({ handle: Handle, ...common, schema: Handle }),
    order: ['handle', 'schema', 'custom', 'access'],
    schemas: 'required',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'proof', 'drop', 'changes', 'check'],
    erasable: 'dropped',
    signals: ['report-created', 'report-proofs-added', 'report-dropped'],
    subscribable: ['report-created', 'report-dropped', 'report-proofs-added', 'report-updated'],
    statuses: REPORT_STATUSES,
    transition(from, to) {
      if (from === to) return 'repeat';
      return successors.get(from)?.includes(to) ? 'moves' : 'refused';
    },
    createdByPolicy: true,
    metaShape: Type.Object({
      assets: Type.Optional(
        Type.Array(Type.Object({ handle: Type.String(), output: Type.String() }, { additionalProperties: true })),
      ),
    }),
    assets: true,
    proved(custom, { from, to }, of) {
      if (custom.status !== 'completed' || custom.assets === undefined) return {};
      const assets = parseAssets(custom.assets);
      if (of) assertOutputs(assets, of);
      // A proof that does not make the status effective publishes nothing.
      return from !== 'completed' && to === 'completed' ? { assets } : {};
    },
  },
  access: { bumpsRules: 'never', freeNames: true },
};

/**
 * Where the operator names a bucket, each file must be at its place there: nobody can have others read another report's.
 */
function assertOutputs(assets: NonNullable<Meta['assets']>, { ledger, bucket, record }: ProvedRecord): void {
  if (bucket === undefined) return;
  const { data, luid, meta } = record;
  const owner = { ledger, domain: meta.domain, schema: String(data.schema), luid };
  for (const asset of assets) assertAssetOutput(bucket, owner, asset);
}

/** The generated files a proof tells of. Throws `record.invalid` for any other value (interface/reports#assets). */
function parseAssets(assets: Json): NonNullable<Meta['assets']> {
  if (!Array.isArray(assets)) throw new LedgerError('record.invalid', 'Report assets must be a list');
  const handles = new Set<string>();
  return assets.map((asset) => {
    if (!isAsset(asset)) throw new LedgerError('record.invalid', 'A report asset must have a handle and an output');
    if (handles.has(asset.handle)) {
      throw new LedgerError('record.invalid', `Report asset with handle ${asset.handle} is named twice`);
    }
    handles.add(asset.handle);
    return asset;
  });
}

function isAsset(asset: Json): asset is JsonObject & { handle: string; output: string } {
  if (!isObject(asset)) return false;
  return [asset.handle, asset.output].every((text) => typeof text === 'string' && text !== '');
}
