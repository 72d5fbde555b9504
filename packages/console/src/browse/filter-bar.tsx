import { type FormEvent, useState } from 'react';
import { type BadTerm, parseTerms } from '../kinds/filter.js';
import { filtersOf, type KindDescription } from '../kinds/kinds.js';
import { browseText } from '../text/browse.js';
import { Filled } from '../ui/filled.js';
import { isolated } from '../ui/plain.js';

interface FilterBarProps {
  readonly kind: KindDescription;
  readonly terms: readonly string[];
  readonly onChange: (terms: readonly string[]) => void;
}

/** The terms of a filter, and where another one is typed. */
export function FilterBar({ kind, terms, onChange }: FilterBarProps) {
  const [typed, type] = useState('');
  const [bad, setBad] = useState<BadTerm>();
  const add = (event: FormEvent) => {
    event.preventDefault();
    const term = typed.trim();
    if (term === '') return;
    const parsed = parseTerms(kind, [term]);
    setBad(parsed.bad);
    if (parsed.bad !== undefined) return;
    type('');
    onChange([...terms, term]);
  };
  const members = filtersOf(kind);
  return (
    <div className="filters">
      {terms.map((term) => (
        <span className="chip" key={term}>
          <Filled of={joined} names={partsOf(term)} most={60} />
          <button
            type="button"
            aria-label={browseText.remove(isolated(term))}
            onClick={() => onChange(terms.filter((one) => one !== term))}
          >
            ×
          </button>
        </span>
      ))}
      <form onSubmit={add}>
        <input
          value={typed}
          onChange={(event) => type(event.target.value)}
          aria-label={browseText.filter}
          placeholder={`${browseText.filter}: meta.status=active`}
          list="filter-members"
          spellCheck={false}
          dir="auto"
          autoCapitalize="none"
          aria-invalid={bad !== undefined}
        />
        <datalist id="filter-members">
          {members.map((member) => (
            <option key={member} value={`${member.replace(/\*$/, 'name')}=`} />
          ))}
        </datalist>
        <button type="submit">{browseText.add}</button>
      </form>
      {bad && (
        <p className="error" role="alert">
          <BadTermText term={bad.term} /> {bad.members.join(', ')}
        </p>
      )}
    </div>
  );
}

/** Says that lists cannot be filtered by a term. */
export function BadTermText({ term }: { readonly term: string }) {
  return <Filled of={(...parts) => browseText.badTerm(joined(...parts))} names={partsOf(term)} />;
}

/** The member and the value of a term: each may be written in a direction of its own. */
function partsOf(term: string): string[] {
  const at = term.indexOf('=');
  return at === -1 ? [term] : [term.slice(0, at), term.slice(at + 1)];
}

function joined(...parts: readonly string[]): string {
  return parts.join('=');
}
