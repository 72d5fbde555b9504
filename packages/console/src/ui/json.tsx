import { Fragment } from 'react';
import { JsonTokens } from './json-tokens.js';
import { Scroll } from './scroll.js';

/** Lines that are shown before the rest is left to the file. */
const MOST_LINES = 2000;

/** JSON as text, with its parts coloured: each character is that of the text. */
export function JsonText({ value, label }: { readonly value: unknown; readonly label: string }) {
  const lines = JSON.stringify(value, null, 2).split('\n');
  return (
    <Scroll className="json" label={label}>
      <pre dir="ltr">
        {lines.slice(0, MOST_LINES).map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines stay in their places
          <Fragment key={at}>
            <JsonTokens text={line} />
            {'\n'}
          </Fragment>
        ))}
        {lines.length > MOST_LINES && '…'}
      </pre>
    </Scroll>
  );
}
