import { type FormEvent, useId, useRef, useState } from 'react';
import { filtersOf, type KindDescription } from '../kinds/kinds.js';
import { browseText } from '../text/browse.js';
import { Field } from '../ui/field.js';

type FilterOperator = keyof typeof browseText.operators;

const LISTS: readonly string[] = ['$in', '$nin'];

interface FilterBuilderProps {
  readonly kind: KindDescription;
  readonly onAdd: (term: string) => void;
}

/** Makes a term of a filter by choosing: every member and operator that the interface has for the kind. */
export function FilterBuilder({ kind, onAdd }: FilterBuilderProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const members = filtersOf(kind);
  const [member, setMember] = useState(members[0] ?? '');
  const [below, setBelow] = useState('');
  const [operator, setOperator] = useState<FilterOperator>('$eq');
  const [value, setValue] = useState('');
  const isOpen = member.endsWith('.*');
  const add = (event: FormEvent) => {
    event.preventDefault();
    const path = isOpen ? member.slice(0, -1) + below.trim() : member;
    onAdd(`${path}${operator === '$eq' ? '' : `.${operator}`}=${value}`);
    setValue('');
    if (menu.current) menu.current.open = false;
  };
  return (
    <details className="menu" ref={menu}>
      <summary>{browseText.build}</summary>
      <form className="menu-body" onSubmit={add}>
        <TermChoice
          label={browseText.member}
          value={member}
          onChoose={setMember}
          choices={members.map((one) => [one, one])}
        />
        {isOpen && (
          <Field
            label={browseText.memberName}
            value={below}
            required
            spellCheck={false}
            onChange={(event) => setBelow(event.target.value)}
          />
        )}
        <TermChoice
          label={browseText.operator}
          value={operator}
          onChoose={(chosen) => setOperator(chosen as FilterOperator)}
          choices={Object.entries(browseText.operators)}
        />
        <Field
          label={LISTS.includes(operator) ? browseText.values : browseText.value}
          value={value}
          required
          spellCheck={false}
          onChange={(event) => setValue(event.target.value)}
        />
        <button type="submit" className="primary">
          {browseText.add}
        </button>
      </form>
    </details>
  );
}

interface TermChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly choices: readonly (readonly [value: string, name: string])[];
}

function TermChoice({ label, value, onChoose, choices }: TermChoiceProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
        {choices.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
