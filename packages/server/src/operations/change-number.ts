import { LedgerError } from '@countersign/protocol';

/**
 * A path segment that must name a change.
 *
 * @throws `record.schema-invalid` unless it is an integer from 1 to 999999999 (interface/records#history)
 */
export function changeNumber(text: string): number {
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
  if (number === undefined) {
    throw new LedgerError(
      'record.schema-invalid',
      'Schema validation error: request/params/change must be integer >= 1',
      {
        errors: [NO_CHANGE],
      },
    );
  }
  return number;
}

const NO_CHANGE = {
  instancePath: '/change',
  schemaPath: '#/properties/change/minimum',
  keyword: 'minimum',
  params: { comparison: '>=', limit: 1 },
  message: 'must be integer >= 1',
  path: '/params/change',
  errorCode: 'minimum.openapi.validation',
};
