import type { Signed } from '@countersign/client';
import { browseText } from '../text/browse.js';
import { download } from '../ui/download.js';
import { csvOf } from './csv.js';

interface SaveMenuProps {
  readonly name: string;
  readonly columns: readonly string[];
  /** Undefined while they are not there. */
  readonly records: readonly Signed[] | undefined;
}

/** Saves the records that are shown. */
export function SaveMenu({ name, columns, records }: SaveMenuProps) {
  return (
    <details className="menu">
      <summary>{browseText.save}</summary>
      <fieldset>
        <legend className="unseen">{browseText.save}</legend>
        <button
          type="button"
          disabled={records === undefined}
          onClick={() => records && download(`${name}.csv`, csvOf(records, columns), 'text/csv')}
        >
          {browseText.saveAs.csv}
        </button>
        <button
          type="button"
          disabled={records === undefined}
          onClick={() => records && download(`${name}.json`, JSON.stringify(records, null, 2), 'application/json')}
        >
          {browseText.saveAs.json}
        </button>
      </fieldset>
    </details>
  );
}
