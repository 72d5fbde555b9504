import { lineOf } from '../kinds/columns.js';
import type { KindDescription } from '../kinds/kinds.js';
import { kindOfLuid } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { JsonText } from '../ui/json.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';

/** The members of data as a form that is read, each with what the interface says of it. */
export function Members({ kind, data }: { kind: KindDescription; data: Readonly<Record<string, unknown>> }) {
  const abouts = new Map(kind.members.map(({ name, description }) => [name, description]));
  return (
    <dl className="facts">
      {Object.entries(data).map(([name, value]) => (
        <div key={name} className="fact">
          <dt title={abouts.get(name)}>
            <Plain value={name} most={80} />
          </dt>
          <dd>
            <Value name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  const { name: ledger } = useLedger();
  if (typeof value === 'object' && value !== null) return <JsonText value={value} label={name} />;
  const line = lineOf(value);
  const kind = typeof value === 'string' ? kindOfLuid(value) : undefined;
  if (kind && kind.parent === undefined) {
    return (
      <RecordLink to={{ ledger, kind: kind.record, id: line }}>
        <Plain value={line} />
      </RecordLink>
    );
  }
  return <Plain value={line} most={600} />;
}
