import { type JsonObject, LedgerError } from '@countersign/protocol';
import { Type } from 'typebox';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed } from '../../src/kinds/registry.js';
import { makeRequestCheck } from '../../src/schemas/request.js';

const checks = new Map<KindName, (data: unknown) => void>();

/** What is wrong with `data`: each error as `<path> <message>`, in the order they are listed; none when it is valid. */
export function faults(name: KindName, data: JsonObject): string[] {
  const { shape, alternatives } = kindNamed(name).data;
  const check = checks.get(name) ?? makeRequestCheck(alternatives ? Type.Union([...alternatives]) : shape);
  checks.set(name, check);
  try {
    check(data);
    return [];
  } catch (error) {
    if (!(error instanceof LedgerError) || error.reason !== 'record.schema-invalid') throw error;
    const errors = error.custom?.errors as { instancePath: string; message: string }[];
    return errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}
