import type { Json } from '@countersign/protocol';
import { createContext, useContext, useEffect } from 'react';
import { type Faults, NO_FAULTS } from './faults.js';
import { type Path, pointerOf } from './paths.js';

/** What the fields of a form share. */
export interface FormScope {
  readonly id: string;
  readonly change: (path: Path, value: Json | undefined) => void;
  /** Gives the focus to the element of this id, once the form has it. */
  readonly focusOnceShown: (id: string) => void;
  /** What the ledger has found wrong. */
  readonly faults: Faults;
  /** Notes that what is written in a field is no value; undefined once it is. */
  readonly note: (pointer: string, fault: string | undefined) => void;
}

export const FormContext = createContext<FormScope>({
  id: '',
  change: () => undefined,
  focusOnceShown: () => undefined,
  faults: NO_FAULTS,
  note: () => undefined,
});

/** The names and faults of one field. `draft` is what is wrong with what is written in it. */
export function useField(path: Path, draft?: string) {
  const { id, change, faults, note } = useContext(FormContext);
  const pointer = pointerOf(path);
  useEffect(() => {
    note(pointer, draft);
    return () => note(pointer, undefined);
  }, [note, pointer, draft]);
  const wrong = draft === undefined ? (faults.get(pointer) ?? []) : [draft];
  return { id: fieldId(id, pointer), wrong, change: (value: Json | undefined) => change(path, value) };
}

/** The id of the button that adds a member, or one more item. */
export function adderId(form: string, pointer: string): string {
  return `${form}${pointer}+`;
}

/** The id of the field for a place in the data. */
export function fieldId(form: string, pointer: string): string {
  return `${form}${pointer}`;
}
