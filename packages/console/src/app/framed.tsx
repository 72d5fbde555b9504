import { text } from '../text/en.js';

/** What the frame of another page shows: that page could lay itself over buttons, and static hosts send no header against it. */
export function Framed() {
  return (
    <a href={window.location.href} target="_blank" rel="noreferrer">
      {text.framed}
    </a>
  );
}
