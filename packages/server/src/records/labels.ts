import { isObject, type Json, type JsonObject, LedgerError, type Meta } from '@countersign/protocol';
import { dataLimits } from '../kinds/data.js';
import { recordLimits } from './record-limits.js';

/**
 * The labels of a record after a create or an update, applied proof by proof.
 *
 * @param customs what the client's proofs say, in their order
 * @throws as `changeLabels` does
 */
export function applyLabels(
  had: readonly string[] | undefined,
  customs: readonly (JsonObject | undefined)[],
): string[] | undefined {
  return customs.reduce(
    (labels: string[] | undefined, custom, index) =>
      changeLabels(labels, custom?.labels, `/meta/proofs/${index}/custom/labels`),
    had && [...had],
  );
}

/** `meta` with these labels in place of its own, where they are served (interface/records#labels). */
export function withLabels(meta: Meta, labels: readonly string[] | undefined): Meta {
  const { labels: _, domain, ...others } = meta;
  return {
    ...others,
    labels: labels && [...labels],
    domain,
  };
}

/**
 * The labels of a record after a proof: a set, in the order in which they came (interface/records#labels).
 *
 * @param had labels so far
 * @param change `custom.labels` of the proof: an array replaces; `$push` adds, `$pull` removes one, `$pullAll` several,
 *   in that order when several are given
 * @param at where in the body it stands
 * @throws `record.schema-invalid` for any other form, `record.invalid` when the record would carry too many
 */
export function changeLabels(
  had: readonly string[] | undefined,
  change: Json | undefined,
  at = '/custom/labels',
): string[] | undefined {
  if (change === undefined) return had && [...had];
  const labels = Array.isArray(change) ? labelList(change, at) : applyOperators(had ?? [], change, at);
  const unique = [...new Set(labels)];
  if (unique.length > recordLimits.labels) {
    throw new LedgerError('record.invalid', `Record labels limit of ${recordLimits.labels} exceeded`);
  }
  return unique.length === 0 ? undefined : unique;
}

const LABEL_OPERATORS = ['$push', '$pull', '$pullAll'];

function applyOperators(had: readonly string[], change: Json, at: string): string[] {
  if (!isObject(change)) throw labelsInvalid(at);
  const operators = Object.keys(change);
  if (operators.length === 0 || operators.some((operator) => !LABEL_OPERATORS.includes(operator)))
    throw labelsInvalid(at);
  const added = change.$push === undefined ? [] : labelList(change.$push, at);
  const removed = new Set([
    ...(change.$pull === undefined ? [] : labelList(change.$pull, at)),
    ...(change.$pullAll === undefined ? [] : labelList(change.$pullAll, at)),
  ]);
  return [...had, ...added].filter((label) => !removed.has(label));
}

function labelList(value: Json, at: string): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((label) => {
    if (typeof label !== 'string' || label.length === 0 || label.length > dataLimits.label) throw labelsInvalid(at);
    return label;
  });
}

function labelsInvalid(at: string): LedgerError {
  return new LedgerError(
    'record.schema-invalid',
    `Schema validation error: request/body${at} must be labels of 1 to ${dataLimits.label} characters, or $push, $pull or $pullAll of them`,
    {
      errors: [
        {
          instancePath: at,
          schemaPath: '#/properties/custom/properties/labels',
          keyword: 'labels',
          params: {},
          message: 'must be labels, or $push, $pull or $pullAll of them',
          path: `/body${at}`,
          errorCode: 'labels.openapi.validation',
        },
      ],
    },
  );
}
