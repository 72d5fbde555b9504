import { Fragment } from 'react';
import { JsonTokens } from './json-tokens.js';
import { Plain } from './plain.js';

/** Texts of an array that are shown. */
const ITEMS_SHOWN = 20;

interface LineProps {
  readonly value: unknown;
  /** Characters that are shown. */
  readonly most: number;
  /** Whether what is cut can be shown all the same. */
  readonly hasAll?: boolean;
}

/** A value on one line: texts each in their own direction, anything else as JSON. */
export function Line({ value, most, hasAll = false }: LineProps) {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return <LineText {...{ value, most, hasAll }} />;
  if (Array.isArray(value) && value.length <= ITEMS_SHOWN && value.every((one) => typeof one === 'string')) {
    return value.map((one: string, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: texts stay in their places
      <Fragment key={at}>
        {at > 0 && ', '}
        <LineText value={one} {...{ most, hasAll }} />
      </Fragment>
    ));
  }
  const json = JSON.stringify(value);
  if (json.length <= most) return <JsonTokens text={json} />;
  return hasAll ? <Plain value={json} most={most} /> : <JsonTokens text={`${json.slice(0, most)}…`} />;
}

function LineText({ value, most, hasAll }: Required<LineProps> & { readonly value: string }) {
  if (hasAll || value.length <= most) return <Plain value={value} most={most} />;
  return <Plain value={`${value.slice(0, most)}…`} most={most + 1} />;
}
