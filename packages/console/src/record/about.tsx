import type { Signed } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import { lineOf } from '../kinds/columns.js';
import { type KindDescription, kindsBelow, nameMember, pluralOf } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { recordText } from '../text/record.js';
import { Code } from '../ui/copy.js';
import { Time } from '../ui/time.js';

/** What a record is called, when it changed, and what lies below it. */
export function About({ kind, record }: { readonly kind: KindDescription; readonly record: Signed }) {
  const { owners, moment } = record.meta;
  return (
    <aside>
      <h2>{recordText.about}</h2>
      <dl className="facts">
        <dt>{recordText.luid}</dt>
        <dd>
          <Code value={String(record.luid)} label={recordText.luid} />
        </dd>
        <dt>{recordText.hash}</dt>
        <dd>
          <Code value={String(record.hash)} label={recordText.hash} />
        </dd>
      </dl>
      <h3>{recordText.saidAbout}</h3>
      <dl className="facts">
        <dt>{recordText.moment}</dt>
        <dd>
          <Time moment={String(moment)} />
        </dd>
        <dt>{recordText.owners}</dt>
        <dd>
          {(Array.isArray(owners) ? owners : []).map((owner) => (
            <Code key={String(owner)} value={String(owner)} label={recordText.key} />
          ))}
        </dd>
      </dl>
      <Below kind={kind} name={lineOf(record.data[nameMember(kind)])} />
    </aside>
  );
}

function Below({ kind, name }: { readonly kind: KindDescription; readonly name: string }) {
  const { name: ledger } = useLedger();
  const below = kindsBelow(kind);
  if (below.length === 0 || name === '') return null;
  return (
    <>
      <h2>{recordText.below}</h2>
      <ul className="links">
        {below.map((one) => (
          <li key={one.record}>
            <Link to="/l/$ledger/$kind" params={{ ledger, kind: one.record }} search={{ parent: name }}>
              {pluralOf(one)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
