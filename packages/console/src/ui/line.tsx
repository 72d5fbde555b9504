import { Fragment } from 'react';
import { JsonTokens } from './json-tokens.js';
import { Plain } from './plain.js';

/** Texts of an array that are shown. */
const SHOWN = 20;

interface Props {
  readonly value: unknown;
  /** Characters that are shown. */
  readonly most: number;
  /** Whether what is cut can be shown all the same. */
  readonly hasAll?: boolean;
}

/** A value on one line: texts each in their own direction, anything else as JSON. */
export function Line({ value, most, hasAll = false }: Props) {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return <Text {...{ value, most, hasAll }} />;
  if (Array.isArray(value) && value.length <= SHOWN && value.every((one) => typeof one === 'string')) {
    return value.map((one: string, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: texts stay in their places
      <Fragment key={at}>
        {at > 0 && ', '}
        <Text value={one} {...{ most, hasAll }} />
      </Fragment>
    ));
  }
  const json = JSON.stringify(value);
  if (json.length <= most) return <JsonTokens text={json} />;
  return hasAll ? <Plain value={json} most={most} /> : <JsonTokens text={`${json.slice(0, most)}…`} />;
}

function Text({ value, most, hasAll }: Required<Props> & { readonly value: string }) {
  if (hasAll || value.length <= most) return <Plain value={value} most={most} />;
  return <Plain value={`${value.slice(0, most)}…`} most={most + 1} />;
}
