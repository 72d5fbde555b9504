import { formatAmount, parseAmount } from '@countersign/client/amounts';
import { type Json, parseJson } from '@countersign/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { scopeOf, useLedger } from '../session/context.js';
import { doingText } from '../text/doing.js';
import { useField } from './form-context.js';
import { described, Labelled } from './labelled.js';
import type { Path } from './paths.js';
import type { Shape } from './shape.js';

export interface FieldProps {
  readonly label: string;
  readonly shape: Shape;
  readonly value: Json | undefined;
  readonly path: Path;
  readonly isRequired: boolean;
}

/** As much JSON as a field takes. */
export const BOUNDS = { depth: 60, values: 20_000 };

const PLAIN = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, dir: 'auto' } as const;

export function TextField({ label, shape, value, path, isRequired }: FieldProps) {
  const { id, wrong, change } = useField(path);
  return (
    <Labelled {...{ id, label, isRequired, wrong }} about={shape.about}>
      <input
        {...PLAIN}
        {...described(id, wrong, shape.about)}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => change(event.target.value === '' && !isItem(path) ? undefined : event.target.value)}
      />
    </Labelled>
  );
}

/** An item of an array stays, however empty it is: there is a button that removes it. */
function isItem(path: Path): boolean {
  return typeof path.at(-1) === 'number';
}

export function ChoiceField({ label, shape, value, path, isRequired }: FieldProps) {
  const { id, wrong, change } = useField(path);
  const values: readonly Json[] = shape.type === 'choice' ? shape.values : [true, false];
  const at = values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
  return (
    <Labelled {...{ id, label, isRequired, wrong }} about={shape.about}>
      <select
        {...described(id, wrong, shape.about)}
        value={at}
        onChange={(event) => change(values[Number(event.target.value)])}
      >
        <option value={-1}>{doingText.form.none}</option>
        {values.map((one, number) => (
          <option key={JSON.stringify(one)} value={number}>
            {typeof one === 'string' ? one : JSON.stringify(one)}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** What is written, until it is a value; then the value, whoever changes it. */
function useDraft(shown: string, read: (text: string) => Json | undefined) {
  const [draft, setDraft] = useState(shown);
  const [last, setLast] = useState(shown);
  if (last !== shown) {
    setLast(shown);
    // Changed elsewhere: what is written here means the same, or gives way.
    const same = read(draft);
    if (same === undefined || JSON.stringify(same) !== JSON.stringify(read(shown))) setDraft(shown);
  }
  return [draft, setDraft] as const;
}

export function NumberField({ label, shape, value, path, isRequired }: FieldProps) {
  const [draft, setDraft] = useDraft(typeof value === 'number' ? String(value) : '', numberIn);
  const number = numberIn(draft);
  const isWhole = shape.type === 'number' || Number.isInteger(number);
  const isExact = number !== undefined && (!Number.isInteger(number) || Number.isSafeInteger(number));
  const fault = number === undefined || !isWhole ? doingText.form.notNumber : doingText.form.notExact;
  const { id, wrong, change } = useField(path, draft === '' || (isWhole && isExact) ? undefined : fault);
  const write = (text: string) => {
    setDraft(text);
    if (text === '' && !isItem(path)) change(undefined);
    else if (numberIn(text) !== undefined) change(numberIn(text));
  };
  return (
    <Labelled {...{ id, label, isRequired, wrong }} about={shape.about}>
      <input
        {...PLAIN}
        {...described(id, wrong, shape.about)}
        inputMode="decimal"
        value={draft}
        onChange={(event) => write(event.target.value)}
      />
    </Labelled>
  );
}

function numberIn(text: string): number | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** An amount in whole units of its symbol. */
export function AmountField(props: FieldProps & { readonly symbol: string }) {
  const ledger = useLedger();
  const { symbol } = props;
  const { data: symbols } = useQuery({
    queryKey: [...scopeOf(ledger), 'symbols'],
    queryFn: () => ledger.client.symbols.list({ limit: 1000 }).all(),
  });
  const factor = symbols?.find(({ data }) => data.handle === symbol)?.data.factor;
  return factor === undefined ? <NumberField {...props} /> : <Units key={symbol} {...props} factor={factor} />;
}

function Units({
  label,
  shape,
  value,
  path,
  isRequired,
  symbol,
  factor,
}: FieldProps & { symbol: string; factor: number }) {
  const read = (text: string) => {
    const amount = parseAmount(text, factor);
    return typeof amount === 'number' ? amount : undefined;
  };
  const [draft, setDraft] = useDraft(Number.isSafeInteger(value) ? formatAmount(value as number, factor) : '', read);
  const amount = parseAmount(draft, factor);
  const fault = typeof amount === 'string' && draft !== '' ? doingText.amount.faults[amount] : undefined;
  const { id, wrong, change } = useField(path, fault);
  const about = typeof amount === 'number' ? doingText.form.units(String(amount), symbol) : shape.about;
  const write = (text: string) => {
    setDraft(text);
    if (text === '' || read(text) !== undefined) change(read(text));
  };
  return (
    <Labelled {...{ id, isRequired, wrong, about }} label={`${label} (${symbol})`}>
      <input
        {...PLAIN}
        {...described(id, wrong, about)}
        inputMode="decimal"
        value={draft}
        onChange={(event) => write(event.target.value)}
      />
    </Labelled>
  );
}

/** A value that has no fields: it is written as JSON. */
export function JsonField({ label, shape, value, path, isRequired }: FieldProps) {
  const shown = value === undefined ? '' : JSON.stringify(value, null, 2);
  const [draft, setDraft] = useDraft(shown, jsonIn);
  const isFine = draft.trim() === '' || jsonIn(draft) !== undefined;
  const { id, wrong, change } = useField(path, isFine ? undefined : doingText.form.badJson);
  const write = (text: string) => {
    setDraft(text);
    if (text.trim() === '' || jsonIn(text) !== undefined) change(jsonIn(text));
  };
  return (
    <Labelled {...{ id, label, isRequired, wrong }} about={shape.about}>
      <textarea
        {...PLAIN}
        {...described(id, wrong, shape.about)}
        className="json-input"
        rows={Math.min(16, Math.max(3, draft.split('\n').length))}
        value={draft}
        onChange={(event) => write(event.target.value)}
      />
    </Labelled>
  );
}

/** JSON whose numbers and texts stay what they are; undefined for anything else. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text, BOUNDS);
  } catch {
    return undefined;
  }
}
