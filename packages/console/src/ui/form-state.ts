import { useState } from 'react';

/**
 * The state of a form: starts again from `given` when that changes, and keeps the form, and with it the focus.
 *
 * @param given plain values, compared as JSON
 */
export function useFormState<Value>(given: Value): readonly [Value, (value: Value) => void] {
  const from = JSON.stringify(given);
  const [draft, setDraft] = useState({ from, value: given });
  // A draft of another beginning would come back with it.
  if (draft.from !== from) setDraft({ from, value: given });
  return [draft.from === from ? draft.value : given, (value) => setDraft({ from, value })];
}
