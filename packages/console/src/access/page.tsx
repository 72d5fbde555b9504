import './access.css';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useLedger } from '../session/context.js';
import { openingOf } from '../session/queries.js';
import { accessText } from '../text/access.js';
import { AnswerSection } from './answer.js';
import { AskForm } from './ask-form.js';
import { LetRead } from './let-read.js';
import { Matrix } from './matrix.js';
import type { AccessSearch } from './search.js';

/** Milliseconds for which the record of the ledger is fresh enough. */
const OPENING_FRESH = 10_000;

/** Who may do what in a ledger: what a key could do and why, and all rules at a glance. */
export function AccessPage() {
  const search: AccessSearch = useSearch({ from: '/l/$ledger/access' });
  useFreshLedger();
  return (
    <article>
      <header className="page-head">
        <h1>{accessText.title}</h1>
        <p>{accessText.intro}</p>
      </header>
      <h2>{accessText.ask}</h2>
      <AskForm search={search} />
      {search.kind !== undefined && <AnswerSection search={{ ...search, kind: search.kind }} />}
      <h2>{accessText.matrix}</h2>
      <Matrix />
      <section aria-labelledby="let-read">
        <h2 id="let-read">{accessText.letRead.title}</h2>
        <p className="hint">{accessText.letRead.about}</p>
        <LetRead />
      </section>
    </article>
  );
}

/** Has the record of the ledger read anew where it is not of just now: its rules are what the page is about. */
function useFreshLedger(): void {
  const { server, name, identity } = useLedger();
  useQuery({ ...openingOf(server, name, identity), staleTime: OPENING_FRESH, refetchOnWindowFocus: false });
}
