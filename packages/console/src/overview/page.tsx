import './overview.css';
import { Link } from '@tanstack/react-router';
import { EmptyLedger } from '../forms/empty-ledger.js';
import { LISTED, pluralOf } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { recordText } from '../text/record.js';
import { Code } from '../ui/copy.js';
import { Plain } from '../ui/plain.js';

/** What a ledger holds, at a glance. */
export function OverviewPage() {
  const { record, pin, name } = useLedger();
  return (
    <>
      <header className="page-head">
        <h1>
          <Plain value={String(record.data.handle)} most={120} />
        </h1>
        <p>
          {recordText.key} <Code value={pin.key} label={recordText.key} length={44} />
        </p>
      </header>
      <EmptyLedger />
      <ul className="cards">
        {LISTED.map((kind) => (
          <li key={kind.record}>
            <Link to="/l/$ledger/$kind" params={{ ledger: name, kind: kind.record }}>
              {pluralOf(kind)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
