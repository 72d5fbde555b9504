import { isObject, type Json, LedgerError } from '@countersign/protocol';
import { limits } from '../limits.js';

/**
 * The labels a record has after a proof: a set in the order they came (contract 01 §7, Labels).
 *
 * @param had labels so far
 * @param change `custom.labels` of the proof: an array replaces; `$push` adds, `$pull` removes one, `$pullAll` several,
 *   in that order when several are given
 * @throws `record.schema-invalid` when it is none of these, `record.invalid` when the record would carry too many
 */
export function changedLabels(had: readonly string[] | undefined, change: Json | undefined): string[] | undefined {
  if (change === undefined) return had && [...had];
  const labels = Array.isArray(change) ? labelList(change) : operated(had ?? [], change);
  const unique = [...new Set(labels)];
  if (unique.length > limits.labels) {
    throw new LedgerError('record.invalid', `Record labels limit of ${limits.labels} exceeded`);
  }
  return unique.length === 0 ? undefined : unique;
}

const OPERATORS = ['$push', '$pull', '$pullAll'];

function operated(had: readonly string[], change: Json): string[] {
  if (!isObject(change)) throw invalid();
  const operators = Object.keys(change);
  if (operators.length === 0 || operators.some((operator) => !OPERATORS.includes(operator))) throw invalid();
  const added = change.$push === undefined ? [] : labelList(change.$push);
  const removed = new Set([
    ...(change.$pull === undefined ? [] : labelList(change.$pull)),
    ...(change.$pullAll === undefined ? [] : labelList(change.$pullAll)),
  ]);
  return [...had, ...added].filter((label) => !removed.has(label));
}

function labelList(value: Json): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((label) => {
    if (typeof label !== 'string' || label.length === 0 || label.length > limits.label) throw invalid();
    return label;
  });
}

function invalid(): LedgerError {
  return new LedgerError(
    'record.schema-invalid',
    `Schema validation error: request/body/custom/labels must be labels of 1 to ${limits.label} characters, or $push, $pull or $pullAll of them`,
    {
      errors: [
        {
          instancePath: '/custom/labels',
          schemaPath: '#/properties/custom/properties/labels',
          keyword: 'labels',
          params: {},
          message: 'must be labels, or $push, $pull or $pullAll of them',
          path: '/body/custom/labels',
          errorCode: 'labels.openapi.validation',
        },
      ],
    },
  );
}
