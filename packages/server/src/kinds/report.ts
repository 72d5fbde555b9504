import { isObject, type Json, type JsonObject, LedgerError, type Meta } from '@countersign/protocol';
import { Type } from 'typebox';
import { closed, common, Handle } from './data.js';
import type { KindDeclaration } from './kind.js';

const STATUSES = ['created', 'pending', 'completed', 'rejected', 'settled'] as const;

/** What each status may become; to ask for the same status again changes nothing (contract 05 §1.4). */
const successors: ReadonlyMap<string, readonly string[]> = new Map([
  ['created', ['pending', 'rejected']],
  ['pending', ['completed', 'rejected']],
  ['completed', ['settled']],
  ['rejected', ['pending', 'completed']],
]);

/** Something to be generated elsewhere, and how far that has come (contract 05 §1). Its data never changes. */
export const report: KindDeclaration = {
  name: 'report',
  title: 'Report',
  missing: 'Report',
  prefix: 'rep',
  path: 'reports',
  data: {
    shape: closed({ handle: Handle, ...common, schema: Handle }),
    order: ['handle', 'schema', 'custom', 'access'],
    schemas: 'required',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'proof', 'drop', 'changes', 'check'],
    signals: ['report-created', 'report-proofs-added', 'report-dropped'],
    subscribable: ['report-created', 'report-dropped', 'report-proofs-added', 'report-updated'],
    statuses: STATUSES,
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
    proved(custom, { from, to }) {
      if (custom.status !== 'completed' || custom.assets === undefined) return {};
      const assets = checkedAssets(custom.assets);
      // A proof that does not make the status effective publishes nothing.
      return from !== 'completed' && to === 'completed' ? { assets } : {};
    },
  },
  access: { decides: 'never', freeNames: true },
};

/** The generated files a proof tells of. Throws `record.invalid` for any other value (contract 05 §1.6). */
function checkedAssets(assets: Json): NonNullable<Meta['assets']> {
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
