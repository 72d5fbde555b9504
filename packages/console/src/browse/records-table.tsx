import type { Signed } from '@countersign/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { headingOf, lineOf, valueAt } from '../kinds/columns.js';
import { type KindDescription, nameMember } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { browseText } from '../text/browse.js';
import { recordText } from '../text/record.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import { Scroll } from '../ui/scroll.js';
import { Time } from '../ui/time.js';
import { statusOf } from '../verify/judge.js';

/** Pixels of a row, as the style sheet has it. */
const ROW = 41;

/** Rows that are drawn beyond those in sight. */
const OVERSCAN = 20;

/** Characters of a cell. */
const CELL = 80;

/** The sign of a row. The client has verified it, and the ledger has signed its list; its status is held to its proofs. */
const SIGNS = {
  good: { mark: '✓', style: 'tick', label: browseText.checkedShort },
  bad: { mark: '✕', style: 'cross', label: recordText.badStatus },
};

interface Props {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly columns: readonly string[];
  readonly records: readonly Signed[];
}

/** Records in rows, of which only those in sight are drawn. */
export function RecordsTable({ kind, parent, columns, records }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
    // Before the box is measured the first rows are drawn at once, rather than an empty table.
    initialRect: { width: ROW, height: ROW },
  });
  const shown = rows.getVirtualItems();
  const before = shown[0]?.start ?? 0;
  const after = rows.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <Scroll className="table" box={scroller} label={kind.title}>
      <table aria-rowcount={records.length + 1}>
        <thead>
          <tr>
            <th scope="col" className="sign-cell">
              <span className="unseen">{browseText.verified}</span>
            </th>
            {columns.map((column) => (
              <th scope="col" key={column}>
                {headingOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={before} />
          {shown.map(({ index }) => (
            <Row key={index} at={index} {...{ kind, parent, columns }} record={records[index] as Signed} />
          ))}
          <Gap height={after} />
        </tbody>
      </table>
    </Scroll>
  );
}

/** Takes the room of rows that are not drawn. */
function Gap({ height }: { readonly height: number }) {
  return height > 0 ? <tr style={{ height }} /> : null;
}

function Row({ kind, parent, columns, record, at }: Omit<Props, 'records'> & { record: Signed; at: number }) {
  const { name: ledger, pin } = useLedger();
  const sign = SIGNS[statusOf(record, pin.key) === 'false' ? 'bad' : 'good'];
  const named = `data.${nameMember(kind)}`;
  const address = { ledger, kind: kind.record, id: record.luid, parent };
  return (
    <tr aria-rowindex={at + 2}>
      <td className="sign-cell">
        <span className={sign.style} role="img" aria-label={sign.label} title={sign.label}>
          {sign.mark}
        </span>
      </td>
      {columns.map((column) => (
        <td key={column}>
          {column === named ? (
            <RecordLink to={address}>
              <Plain value={lineOf(valueAt(record, column)) || record.luid} most={CELL} />
            </RecordLink>
          ) : (
            <Cell column={column} value={valueAt(record, column)} />
          )}
        </td>
      ))}
    </tr>
  );
}

function Cell({ column, value }: { readonly column: string; readonly value: unknown }) {
  if (column === 'meta.moment') return <Time moment={String(value)} />;
  const line = lineOf(value);
  // A cell is one line: the page of the record has the whole.
  return <Plain value={line.length > CELL ? `${line.slice(0, CELL)}…` : line} />;
}
