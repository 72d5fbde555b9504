import type { Signing, WriteOptions } from '@countersign/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** What is about to be signed, and the two answers to it. */
export interface SigningAsked {
  readonly signing: Signing;
  readonly agree: () => void;
  readonly decline: () => void;
}

/** How far a write is. */
export type WriteState =
  | { readonly at: 'idle' }
  | { readonly at: 'preparing' }
  | { readonly at: 'asking'; readonly asked: SigningAsked }
  | { readonly at: 'sending' }
  | { readonly at: 'failed'; readonly error: unknown };

export interface Write {
  readonly state: WriteState;
  readonly isBusy: boolean;
  /** Begins a write. What comes of it is handed to `onDone`. */
  readonly run: <Made>(send: (options: WriteOptions) => Promise<Made>, onDone: (made: Made) => void) => void;
  readonly reset: () => void;
}

const DECLINED = Symbol('declined');

/** A write that shows what it signs before it does, and waits for a yes. */
export function useWrite(): Write {
  const [state, setState] = useState<WriteState>({ at: 'idle' });
  const queries = useQueryClient();
  const ask = (signing: Signing) =>
    new Promise<void>((resolve, reject) => {
      const agree = () => {
        setState({ at: 'sending' });
        resolve();
      };
      setState({ at: 'asking', asked: { signing, agree, decline: () => reject(DECLINED) } });
    });
  const run: Write['run'] = async (send, onDone) => {
    setState({ at: 'preparing' });
    try {
      const made = await send({ onSigning: ask });
      setState({ at: 'idle' });
      // What was read before is of before.
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey.at(-1) !== 'ledger' });
      onDone(made);
    } catch (error) {
      setState(error === DECLINED ? { at: 'idle' } : { at: 'failed', error });
    }
  };
  const isBusy = state.at === 'preparing' || state.at === 'asking' || state.at === 'sending';
  return { state, isBusy, run, reset: () => setState({ at: 'idle' }) };
}
