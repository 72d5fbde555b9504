import { Fragment } from 'react';
import { Plain } from './plain.js';

/** Characters of private use, each in place of a name. */
const FIRST_PLACEHOLDER = 0xe000;

interface FilledProps {
  /** Makes the sentence of the names: one of the texts. */
  readonly of: (...names: string[]) => string;
  readonly names: readonly string[];
  /** Characters of a name that are shown before it is cut. */
  readonly most?: number;
}

/** A sentence with names that somebody else chose: each in its own direction, so that the words around stay where they are. */
export function Filled({ of, names, most = 120 }: FilledProps) {
  const sentence = of(...names.map((_, at) => String.fromCodePoint(FIRST_PLACEHOLDER + at)));
  return sentence.split(/([\ue000-\uf8ff])/).map((part, at) => {
    const name = part === '' ? undefined : names[(part.codePointAt(0) as number) - FIRST_PLACEHOLDER];
    // biome-ignore lint/suspicious/noArrayIndexKey: parts stay in their places
    return <Fragment key={at}>{name === undefined ? part : <Plain value={name} most={most} />}</Fragment>;
  });
}
