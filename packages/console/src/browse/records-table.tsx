import type { Signed } from '@countersign/client';
import { type Ref, useId, useImperativeHandle } from 'react';
import { headingOf, valueAt } from '../kinds/columns.js';
import { type KindDescription, nameMember } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { browseText } from '../text/browse.js';
import { recordText } from '../text/record.js';
import { Line } from '../ui/line.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import { Scroll } from '../ui/scroll.js';
import { Time } from '../ui/time.js';
import { statusOf } from '../verify/judge.js';
import { useRows } from './use-rows.js';

/** Characters of a cell. */
const CELL = 80;

/** The sign of a row. The client has verified it, and the ledger has signed its list; its status is held to its proofs. */
const STATUS_SIGNS = {
  good: { mark: '✓', style: 'tick', label: browseText.checkedShort },
  bad: { mark: '✕', style: 'cross', label: recordText.badStatus },
};

interface RecordsTableProps {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly columns: readonly string[];
  readonly records: readonly Signed[];
  readonly box: Ref<HTMLDivElement>;
}

/** Records in rows, of which only those in sight are drawn. One row is reached by Tab, the others from it by arrow keys. */
export function RecordsTable({ kind, parent, columns, records, box }: RecordsTableProps) {
  const about = useId();
  const { scroller, rows, active, onKeyDown, onFocus } = useRows(records.length);
  useImperativeHandle(box, () => scroller.current as HTMLDivElement);
  const shown = rows.getVirtualItems();
  const before = shown[0]?.start ?? 0;
  const after = rows.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <>
      <Scroll className="table" box={scroller} label={kind.title} about={about}>
        <table aria-rowcount={records.length + 1}>
          <thead>
            <tr>
              <th scope="col" className="sign-cell">
                <span className="unseen">{browseText.verified}</span>
              </th>
              {columns.map((column) => (
                <th scope="col" key={column}>
                  <Plain value={headingOf(column)} most={CELL} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody onKeyDown={onKeyDown} onFocus={onFocus}>
            <Gap height={before} />
            {shown.map(({ index }) => (
              <TableRow
                key={index}
                at={index}
                isActive={index === active}
                {...{ kind, parent, columns }}
                record={records[index] as Signed}
              />
            ))}
            <Gap height={after} />
          </tbody>
        </table>
      </Scroll>
      <p id={about} className="keys">
        {browseText.keys}
      </p>
    </>
  );
}

/** Takes the room of rows that are not drawn. */
function Gap({ height }: { readonly height: number }) {
  return height > 0 ? <tr style={{ height }} /> : null;
}

interface TableRowProps extends Omit<RecordsTableProps, 'records' | 'box'> {
  readonly record: Signed;
  readonly at: number;
  /** Whether Tab leads to it. */
  readonly isActive: boolean;
}

function TableRow({ kind, parent, columns, record, at, isActive }: TableRowProps) {
  const { name: ledger, pin } = useLedger();
  const sign = STATUS_SIGNS[statusOf(record, pin.key) === 'false' ? 'bad' : 'good'];
  const named = `data.${nameMember(kind)}`;
  // Some column leads to the record, whichever are chosen.
  const linked = columns.includes(named) ? named : columns[0];
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
          {column === linked ? (
            <RecordLink to={address} tabIndex={isActive ? 0 : -1}>
              <Cell column={column} value={valueAt(record, column) || record.luid} />
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
  return <Line value={value} most={CELL} />;
}
