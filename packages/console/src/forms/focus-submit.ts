import type { MouseEvent } from 'react';

/** Gives the focus to what sends a form, from a button in it that is about to be gone. */
export function focusSubmit({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>): void {
  form?.querySelector<HTMLButtonElement>('button[type=submit]')?.focus();
}
