import { useState } from 'react';
import { text } from '../text/en.js';

/** Characters of a value that are shown before it is cut. */
const LETTERS_SHOWN = 280;

/** Characters that would hide, or change the order of, what stands around them. */
const UNSEEN =
  /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}|(?<=\p{ASCII}|^)[\u200c\u200d]|[\u200c\u200d](?=\p{ASCII}|$)/gu;

/** Text with each character that is not seen written as its number; joiners within words of other scripts stay. */
export function visible(value: string): string {
  return value.replace(UNSEEN, (one) => `⟨${one.codePointAt(0)?.toString(16).padStart(4, '0')}⟩`);
}

/** A name within a text that has no elements: no direction of it reaches the words around. */
export function isolated(name: string): string {
  return `\u2068${visible(name)}\u2069`;
}

/** Text that somebody else wrote: shown as text, in its own direction, and cut where it is long. */
export function Plain({ value, most = LETTERS_SHOWN }: { readonly value: string; readonly most?: number }) {
  const [isWhole, showWhole] = useState(false);
  const isCut = value.length > most && !isWhole;
  return (
    <>
      <bdi className="plain">{visible(isCut ? value.slice(0, most) : value)}</bdi>
      {isCut && (
        <button type="button" className="link" onClick={() => showWhole(true)}>
          {text.showAll(value.length)}
        </button>
      )}
    </>
  );
}
