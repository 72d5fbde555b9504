import { useState } from 'react';
import { text } from '../text/en.js';

/** Copies a text, and says that it did. Pages without TLS may not: there is no button. */
export function Copy({ value, label }: { readonly value: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" className="copy" onClick={copy} aria-label={`${text.copy} ${label}`} title={text.copy}>
      <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.4" aria-hidden="true">
        {isCopied ? <path d="M3 8.5l3.3 3.3L13 5" /> : <path d="M5.5 5.5h7v8h-7zM3.5 10.5v-8h7" />}
      </svg>
      <span className="unseen" aria-live="polite">
        {isCopied ? text.copied : ''}
      </span>
    </button>
  );
}

/** A hash, key or luid: short, whole on demand, and to copy. */
export function Code({ value, label, length = 16 }: { value: string; label: string; length?: number }) {
  const isShort = value.length <= length + 1;
  return (
    <span className="code">
      <code title={value}>{isShort ? value : `${value.slice(0, length)}…`}</code>
      <Copy value={value} label={label} />
    </span>
  );
}
