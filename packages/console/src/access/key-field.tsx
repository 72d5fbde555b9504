import { accessText } from '../text/access.js';

/** A public key in base64: 32 bytes. */
const KEY_PATTERN = '[A-Za-z0-9+\\/]{43}=';

/** The field for the public key of somebody else. @param change is told what was typed */
export function KeyField({ value, change }: { readonly value: string; readonly change: (key: string) => void }) {
  return (
    <label className="wide">
      {accessText.key}
      <input
        value={value}
        onChange={(event) => change(event.target.value)}
        pattern={KEY_PATTERN}
        title={accessText.badKey}
        required
        spellCheck={false}
        autoComplete="off"
      />
    </label>
  );
}
