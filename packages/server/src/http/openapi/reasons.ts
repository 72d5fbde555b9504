import { REASONS, type Reason } from '@countersign/protocol';
import { EVERY_OPERATION, SIGNED } from '../../operations/operation.js';
import { OPERATIONS } from '../../operations/operations.js';
import type { Route } from '../routes.js';
import { oneOfTexts } from './schemas.js';

/** Reasons that forwarding to a bridge adds (interface/forwarding#what-is-checked-of-an-answer). */
const FORWARDING_REASONS: readonly Reason[] = [
  'crypto.hash-invalid',
  'crypto.signature-invalid',
  'forward.invalid-response',
  'forward.unexpected-error',
];

const NO_LEDGER: readonly Reason[] = ['api.no-tenant-allowed'];

/**
 * Reasons with a second status: a body over the limit (interface/records#request-bodies), a server or a bridge that is out
 * of reach.
 */
const OTHER_STATUS: Partial<Readonly<Record<Reason, string>>> = {
  'api.body-malformed': '413',
  'api.unexpected-error': '503',
  'bridge.proxy-response-invalid': '502',
};

/** Every set of refusals, by the name that its responses have among the components. */
const FAMILIES: Readonly<Record<string, readonly Reason[]>> = {
  ...Object.fromEntries(
    OPERATIONS.flatMap(({ name, refusals: { always, nested } }) => [
      [name, always],
      ...(nested ? [[`nested-${name}`, [...always, ...nested]]] : []),
    ]),
  ),
  ...Object.fromEntries(
    OPERATIONS.filter(({ handover }) => handover !== undefined).map(({ name, refusals: { always } }) => [
      `forwarded-${name}`,
      [...always, ...FORWARDING_REASONS],
    ]),
  ),
  'create-ledger': [...SIGNED, 'record.duplicated', ...NO_LEDGER],
  'read-log': EVERY_OPERATION,
  'list-ledgers': [...EVERY_OPERATION.filter((reason) => reason !== 'auth.forbidden'), ...NO_LEDGER],
};

/** Whether policies may hand the operation over to a bridge. */
export function isForwarded({ kind, operation }: Pick<Route, 'kind' | 'operation'>): boolean {
  return kind.access.forwards === true && operation.handover !== undefined;
}

/** The family of refusals of an operation, as `refusals` and `refusalComponents` name it. */
export function familyOf(route: Pick<Route, 'kind' | 'operation'>): string {
  const { kind, operation } = route;
  if (isForwarded(route)) return `forwarded-${operation.name}`;
  return kind.links.under && operation.refusals.nested ? `nested-${operation.name}` : operation.name;
}

/**
 * The error responses of a family: status -> reference to the component that lists its reasons
 * (interface/errors#reasons).
 */
export function refusals(family: string): object {
  const statuses = [...byStatus(FAMILIES[family] ?? [])].sort(([one], [other]) => Number(one) - Number(other));
  return Object.fromEntries(
    statuses.map(([status, reasons]) => [
      status,
      { $ref: `#/components/responses/${COMPONENTS.get(answerKey(status, reasons))}` },
    ]),
  );
}

/** The responses that `refusals` refers to: one for each set of reasons, however many operations answer with it. */
export function refusalComponents(): Record<string, object> {
  return Object.fromEntries(
    Object.values(FAMILIES).flatMap((reasons) =>
      [...byStatus(reasons)].map(([status, ofStatus]) => [
        COMPONENTS.get(answerKey(status, ofStatus)),
        errorResponse(ofStatus, status),
      ]),
    ),
  );
}

/** The names of the responses, by what `answerKey` says: the only reason, or the first family that has these reasons. */
const COMPONENTS = new Map<string, string>();
for (const [family, all] of Object.entries(FAMILIES)) {
  for (const [status, reasons] of byStatus(all)) {
    const name = reasons.length === 1 ? reasons[0]?.replace('.', '-') : family;
    const key = answerKey(status, reasons);
    if (!COMPONENTS.has(key)) COMPONENTS.set(key, `${name}-${status}`);
  }
}

function answerKey(status: string, reasons: readonly Reason[]): string {
  return [status, ...[...reasons].sort()].join(' ');
}

/** A response with a signed error for one of `reasons`. */
export function errorResponse(reasons: readonly Reason[], status = ''): object {
  return {
    ...(['429', '503'].includes(status) ? { headers: RETRY_AFTER_HEADER } : {}),
    description: reasons.map((reason) => `\`${reason}\`: ${REASONS[reason].meaning}`).join('\n\n'),
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/error' }],
          type: 'object',
          properties: { data: { type: 'object', properties: { reason: oneOfTexts(reasons) } } },
        },
      },
    },
  };
}

const RETRY_AFTER_HEADER = {
  'retry-after': { description: 'Seconds to wait before the same request is sent again.', schema: { type: 'integer' } },
};

function byStatus(reasons: readonly Reason[]): Map<string, Reason[]> {
  const statuses = new Map<string, Reason[]>();
  const add = (status: string, reason: Reason) => statuses.set(status, [...(statuses.get(status) ?? []), reason]);
  for (const reason of new Set(reasons)) {
    add(String(REASONS[reason].status), reason);
    const other = OTHER_STATUS[reason];
    if (other !== undefined) add(other, reason);
  }
  return statuses;
}
