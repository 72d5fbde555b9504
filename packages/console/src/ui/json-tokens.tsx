import type { ReactNode } from 'react';
import { visible } from './plain.js';

/** A text that is cut has no quote at its end. */
const TOKEN =
  /("(?:[^"\\]|\\.)*(?:"|$))(\s*:)?|(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|\b(?:true|false|null)\b/g;

/** JSON with its parts coloured, from left to right: a text that is written from right to left moves nothing around it. */
export function JsonTokens({ text }: { readonly text: string }) {
  return (
    <span className="json-tokens" dir="ltr">
      {tokensOf(text)}
    </span>
  );
}

function tokensOf(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match;
    if (match.index > end) parts.push(visible(text.slice(end, match.index)));
    const kind = colon ? 'name' : quoted ? 'string' : 'value';
    parts.push(
      <bdi key={match.index} className={`json-${kind}`}>
        {visible(quoted ?? whole)}
      </bdi>,
    );
    if (colon) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(visible(text.slice(end)));
  return parts;
}
