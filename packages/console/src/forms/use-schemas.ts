import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { KindDescription } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import { memberOf } from './paths.js';
import { narrowed, type Shape, shapeOf, shapeOfKind } from './shape.js';

/** Schemas that are offered. */
const MOST_SCHEMAS = 100;

/**
 * The shape of a kind's data, by the interface and by the user's schema that the data names; undefined until it is known which
 * schemas there are, because fields that are shown must not turn into others while somebody writes in them.
 */
export function useShape(kind: KindDescription, data: JsonObject): Shape | undefined {
  const ledger = useLedger();
  const own = useMemo(() => shapeOfKind(kind.record), [kind.record]);
  const isFree =
    own.type === 'object' && own.members.some(({ name, shape }) => name === 'schema' && shape.type === 'text');
  // Where they may not be read, the ledger says what is wrong.
  const {
    data: schemas,
    isLoading,
    isFetched,
  } = useQuery({
    queryKey: [...scopeOf(ledger), 'schemas', kind.record],
    queryFn: () => ledger.client.schemas.list({ filter: { 'data.record': kind.record }, limit: MOST_SCHEMAS }).page(0),
    enabled: isFree,
  });
  const named = memberOf(data, 'schema');
  const shape = useMemo(() => {
    const items = isFree ? (schemas?.items ?? []) : [];
    if (items.length === 0) return own;
    const handles = items.map((one) => one.data.handle).sort();
    const choice: Shape = {
      type: 'object',
      members: [{ name: 'schema', isRequired: true, shape: { type: 'choice', values: handles } }],
    };
    const chosen = items.find((one) => one.data.handle === named)?.data.schema as Json | undefined;
    const withChoice = narrowed(own, choice);
    return isObject(chosen as Json) ? narrowed(withChoice, shapeOf(chosen, chosen as JsonObject)) : withChoice;
  }, [isFree, schemas, own, named]);
  // A form that was shown stays: a list that could not be read is asked for again.
  return isLoading && !isFetched ? undefined : shape;
}
