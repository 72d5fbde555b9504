import type { ReactNode } from 'react';
import { visible } from './plain.js';
import { Scroll } from './scroll.js';

/** Lines that are shown before the rest is left to the file. */
const MOST_LINES = 2000;

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** JSON as text, with its parts coloured: each character is that of the text. */
export function JsonText({ value, label }: { readonly value: unknown; readonly label: string }) {
  const lines = JSON.stringify(value, null, 2).split('\n');
  return (
    <Scroll className="json" label={label}>
      <pre dir="ltr">
        {lines.slice(0, MOST_LINES).map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines stay in their places
          <span key={at}>
            {colour(line)}
            {'\n'}
          </span>
        ))}
        {lines.length > MOST_LINES && '…'}
      </pre>
    </Scroll>
  );
}

function colour(line: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match;
    if (match.index > end) parts.push(line.slice(end, match.index));
    const kind = colon ? 'name' : quoted ? 'string' : 'value';
    parts.push(
      <span key={match.index} className={`json-${kind}`}>
        {visible(quoted ?? whole)}
      </span>,
    );
    if (colon) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(line.slice(end));
  return parts;
}
