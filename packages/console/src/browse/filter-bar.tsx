import { type FormEvent, useState } from 'react';
import { type BadTerm, parseTerms } from '../kinds/filter.js';
import { filtersOf, type KindDescription } from '../kinds/kinds.js';
import { browseText } from '../text/browse.js';
import { Plain } from '../ui/plain.js';

interface Props {
  readonly kind: KindDescription;
  readonly terms: readonly string[];
  readonly onChange: (terms: readonly string[]) => void;
}

/** The terms of a filter, and where another one is typed. */
export function FilterBar({ kind, terms, onChange }: Props) {
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
          <Plain value={term} most={60} />
          <button
            type="button"
            aria-label={browseText.remove(term)}
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
          {browseText.badTerm(bad.term)} {bad.members.join(', ')}
        </p>
      )}
    </div>
  );
}
