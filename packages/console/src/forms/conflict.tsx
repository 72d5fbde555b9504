import type { Signed } from '@countersign/client';
import type { JsonObject } from '@countersign/protocol';
import { useQuery } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { Fault } from '../session/fault.js';
import { doingText } from '../text/doing.js';
import { text } from '../text/en.js';
import { Line } from '../ui/line.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { differencesOf } from '../verify/differences.js';
import { focusSubmit } from './focus-submit.js';
import { rebased } from './rebase.js';

interface ConflictProps {
  /** The version that the change was made from. */
  readonly base: Signed;
  readonly mine: JsonObject;
  readonly read: () => Promise<Signed>;
  readonly onDecide: (now: Signed, data: JsonObject) => void;
}

/** The record has changed meanwhile: what differs, and whether to go on. */
export function Conflict({ base, mine, read, onDecide }: ConflictProps) {
  const now = useQuery({ queryKey: ['conflict', base.luid, base.hash], queryFn: read, gcTime: 0, staleTime: 0 });
  if (now.error) return <Fault error={now.error} retry={() => void now.refetch()} />;
  if (!now.data) return <Skeleton lines={4} label={text.loading} />;
  const record = now.data;
  const { parent: _, ...theirs } = record.data as JsonObject;
  const before = base.data as JsonObject;
  const paths = new Map(differencesOf(before, theirs).map((one) => [one.path, one]));
  const own = new Map(differencesOf(before, mine).map((one) => [one.path, one]));
  const decide = (event: MouseEvent<HTMLButtonElement>, data: JsonObject) => {
    focusSubmit(event);
    onDecide(record, data);
  };
  const all = [...new Set([...paths.keys(), ...own.keys()])];
  return (
    <Notice tone="warn" title={doingText.form.conflict}>
      <p>{doingText.form.conflictAbout}</p>
      <div className="table-frame">
        <table className="conflict">
          <thead>
            <tr>
              <th scope="col">{doingText.form.member}</th>
              <th scope="col">{doingText.form.before}</th>
              <th scope="col">{doingText.form.theirs}</th>
              <th scope="col">{doingText.form.mine}</th>
            </tr>
          </thead>
          <tbody>
            {all.map((path) => {
              const [their, my] = [paths.get(path), own.get(path)];
              const was = (their ?? my)?.before;
              return (
                <tr key={path}>
                  <th scope="row">
                    <Plain value={path} most={120} />
                  </th>
                  {[was, their ? their.after : was, my ? my.after : was].map((value, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their places
                    <td key={at}>
                      {value === undefined ? doingText.form.none : <Line value={value} most={200} hasAll />}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className="buttons">
        <button type="button" onClick={(event) => decide(event, rebased(before, theirs, mine))}>
          {doingText.form.keepMine}
        </button>
        <button type="button" onClick={(event) => decide(event, theirs)}>
          {doingText.form.takeTheirs}
        </button>
      </p>
    </Notice>
  );
}
