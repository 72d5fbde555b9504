import { useState } from 'react';

/**
 * What is edited in a form: begun anew whenever what it began from is another, without a new form, in which the focus would be lost.
 *
 * @param given plain values, compared as JSON
 */
export function useFormState<Value>(given: Value): readonly [Value, (value: Value) => void] {
  const from = JSON.stringify(given);
  const [draft, setDraft] = useState({ from, value: given });
  return [draft.from === from ? draft.value : given, (value) => setDraft({ from, value })];
}
