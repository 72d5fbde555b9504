import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { KINDS } from '../kinds/kinds.js';
import { accessText } from '../text/access.js';
import { useFormState } from '../ui/form-state.js';
import { actionsOn } from './ask.js';
import { KeyField } from './key-field.js';
import type { AccessSearch } from './search.js';

/** Kinds that may be asked about. */
const ASKED = KINDS.filter(
  ({ parent, operations }) => parent === undefined && operations.some(({ name }) => name === 'check'),
);

/** Asks what a key could do, and why not. */
export function AskForm({ search }: { readonly search: AccessSearch }) {
  const navigate = useNavigate({ from: '/l/$ledger/access' });
  const begun: AccessSearch = { kind: 'ledger', ...search };
  const [draft, setDraft] = useFormState({ asked: begun, isOther: search.key !== undefined });
  const { asked, isOther } = draft;
  const { kind = 'ledger' } = asked;
  const change = (to: AccessSearch) => setDraft({ ...draft, asked: { ...asked, ...to } });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const id = kind === 'ledger' ? undefined : asked.id?.trim();
    const key = isOther ? asked.key?.trim() : undefined;
    void navigate({ search: () => ({ kind, id, action: asked.action, key }) as never });
  };
  return (
    <form className="ask" onSubmit={ask}>
      <label>
        {accessText.whose}
        <select
          value={isOther ? 'other' : 'mine'}
          onChange={(event) => setDraft({ ...draft, isOther: event.target.value === 'other' })}
        >
          <option value="mine">{accessText.mine}</option>
          <option value="other">{accessText.other}</option>
        </select>
      </label>
      {isOther && <KeyField value={asked.key ?? ''} change={(key) => change({ key })} />}
      <label>
        {accessText.on}
        <select value={kind} onChange={(event) => change({ kind: event.target.value, action: undefined })}>
          {ASKED.map(({ record, title }) => (
            <option key={record} value={record}>
              {record === 'ledger' ? accessText.ledgerItself : title}
            </option>
          ))}
        </select>
      </label>
      {kind !== 'ledger' && (
        <label>
          {accessText.handle}
          <input
            value={asked.id ?? ''}
            onChange={(event) => change({ id: event.target.value })}
            placeholder={accessText.handleAbout}
            spellCheck={false}
            dir="auto"
            autoComplete="off"
          />
        </label>
      )}
      <label>
        {accessText.action}
        <select value={asked.action ?? ''} onChange={(event) => change({ action: event.target.value || undefined })}>
          <option value="">{accessText.every}</option>
          {actionsOn(kind)
            .filter(({ record }) => record === kind)
            .map(({ action }) => (
              <option key={action}>{action}</option>
            ))}
        </select>
      </label>
      <button type="submit" className="primary">
        {accessText.askDo}
      </button>
    </form>
  );
}
