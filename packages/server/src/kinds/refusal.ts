import { type Json, type JsonObject, LedgerError } from '@countersign/protocol';
import type { KindIdentity } from './declaration.js';

/** A fault at one place of a request, in the terms of a schema validator. */
interface RequestFault {
  /** JSON Pointer within the body: `/data/public`. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: JsonObject;
  readonly message: string;
}

/**
 * `record.schema-invalid` for a rule that a request schema cannot express, in the form of the validator's own errors
 * (interface/errors#schema-errors).
 */
export function requestInvalid({ instancePath, keyword, params, message }: RequestFault): LedgerError {
  const missing = params.missingProperty ?? params.unevaluatedProperty;
  const error = {
    instancePath,
    schemaPath: `#${schemaOf(instancePath)}/${keyword}`,
    keyword,
    params,
    message,
    path: `/body${instancePath}${typeof missing === 'string' ? `/${missing}` : ''}`,
    errorCode: `${keyword}.openapi.validation`,
  };
  return new LedgerError('record.schema-invalid', `Schema validation error: request/body${instancePath} ${message}`, {
    errors: [error],
  });
}

/** The error for a missing record of the kind (interface/records#read). */
export function notFound({ missing }: Pick<KindIdentity, 'missing'>): LedgerError {
  return new LedgerError('record.not-found', `${missing} not found`);
}

/** Throws `record.schema-invalid` unless `value`, found at `instancePath`, is absent or an absolute HTTP URL. */
export function requireHttpUrl(instancePath: string, value: Json | undefined): void {
  if (value === undefined) return;
  if (typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return;
  throw requestInvalid({
    instancePath,
    keyword: 'format',
    params: { format: 'uri' },
    message: 'must match format "uri"',
  });
}

function schemaOf(instancePath: string): string {
  const segments = instancePath.split('/').slice(1);
  return segments.map((segment) => (/^\d+$/.test(segment) ? '/items' : `/properties/${segment}`)).join('');
}
