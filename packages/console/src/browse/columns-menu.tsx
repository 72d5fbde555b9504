import { allColumns } from '../kinds/columns.js';
import type { KindDescription } from '../kinds/kinds.js';
import { browseText } from '../text/browse.js';
import { Plain } from '../ui/plain.js';

interface ColumnsMenuProps {
  readonly kind: KindDescription;
  readonly chosen: readonly string[];
  readonly onChange: (columns: readonly string[]) => void;
}

/** Which columns a list shows. */
export function ColumnsMenu({ kind, chosen, onChange }: ColumnsMenuProps) {
  const all = [...new Set([...allColumns(kind), ...chosen])];
  const toggle = (column: string) =>
    onChange(all.filter((one) => (one === column ? !chosen.includes(one) : chosen.includes(one))));
  return (
    <details className="menu">
      <summary>{browseText.columns}</summary>
      <fieldset>
        <legend className="unseen">{browseText.columns}</legend>
        {all.map((column) => (
          <label key={column}>
            <input type="checkbox" checked={chosen.includes(column)} onChange={() => toggle(column)} />{' '}
            <Plain value={column} most={80} />
          </label>
        ))}
      </fieldset>
    </details>
  );
}
