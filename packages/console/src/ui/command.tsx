import { Copy } from './copy.js';

/** A command for a terminal, to be copied. */
export function Command({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div className="command">
      <code dir="ltr">{value}</code>
      <Copy value={value} label={label} />
    </div>
  );
}

/** As one word of a shell, whatever it holds. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
