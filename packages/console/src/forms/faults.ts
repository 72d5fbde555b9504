import { Refusal } from '@countersign/client';

/** What is wrong with a form, by the place in the data as JSON pointer. */
export type Faults = ReadonlyMap<string, readonly string[]>;

export const NO_FAULTS: Faults = new Map();

/** Where in the data a refusal finds something wrong (interface/errors#schema-errors). */
export function faultsOf(error: unknown): Faults {
  if (!(error instanceof Refusal)) return NO_FAULTS;
  const found = new Map<string, string[]>();
  for (const one of Array.isArray(error.custom.errors) ? error.custom.errors : []) {
    const place = placeOf(one);
    if (place === undefined) continue;
    const said = String(one.message ?? '').slice(0, 300);
    const before = found.get(place) ?? [];
    if (!before.includes(said)) found.set(place, [...before, said]);
  }
  return found;
}

/** Errors of a body begin at the body, those of a user's schema at the data. */
function placeOf(error: { readonly [member: string]: unknown }): string | undefined {
  const { instancePath = '', params, path } = error;
  if (typeof instancePath !== 'string') return undefined;
  const isOfBody = typeof path === 'string' && path.startsWith('/body');
  if (isOfBody && !/^\/data(\/|$)/.test(instancePath)) return undefined;
  const place = isOfBody ? instancePath.slice('/data'.length) : instancePath;
  const { missingProperty, additionalProperty, unevaluatedProperty } = (params ?? {}) as Record<string, unknown>;
  const member = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return typeof member === 'string' ? `${place}/${member.replace(/~/g, '~0').replace(/\//g, '~1')}` : place;
}
