import type { Draft, DraftLine } from './draft.js';

/** A movement that is put into an export. */
export interface Noted {
  /** Luid. */
  readonly wallet: string;
  readonly intent: string;
  readonly change: number;
  readonly availableBy: number;
  readonly reservedBy?: number;
  /** That of the movement before unless given. */
  readonly moment?: string;
}

/** The movements of a wallet, in their order. */
export function movementsIn(draft: Draft, wallet: string): DraftLine[] {
  return draft.lines.filter((one) => one.line === 'entry' && one.wallet === wallet);
}

/** Notes a movement as the last one of its wallet; its balance is made to fit. */
export function noteMovement(
  draft: Draft,
  { wallet, intent, change, availableBy, reservedBy = 0, moment }: Noted,
): void {
  const last = movementsIn(draft, wallet).at(-1);
  const available = last.available + availableBy;
  const reserved = reservedBy === 0 ? last.reserved : (last.reserved ?? 0) + reservedBy;
  const { version } = last;
  const moved = { version: version + 1, intent, change, availableBy, reservedBy, available };
  const { line, symbol } = last;
  const more = { ...(reserved === undefined ? {} : { reserved }), moment: moment ?? last.moment };
  draft.lines.splice(draft.lines.indexOf(last) + 1, 0, { line, wallet, symbol, ...moved, ...more });
  draft.header.entries += 1;
  fitBalance(draft, wallet);
}

/** Puts a movement down to another wallet, as its last one; both balances are made to fit. */
export function moveTo(draft: Draft, entry: DraftLine, wallet: string): void {
  const before = entry.wallet;
  draft.lines = draft.lines.filter((line) => line !== entry);
  draft.header.entries -= 1;
  fitChain(draft, before);
  noteMovement(draft, { ...entry, wallet });
}

/** Makes each movement of a wallet follow from the one before. */
function fitChain(draft: Draft, wallet: string): void {
  let [available, reserved] = [0, 0];
  for (const [at, entry] of movementsIn(draft, wallet).entries()) {
    available += entry.availableBy;
    reserved += entry.reservedBy;
    Object.assign(entry, { version: at + 1, available }, entry.reserved === undefined ? {} : { reserved });
  }
  fitBalance(draft, wallet);
}

function fitBalance(draft: Draft, wallet: string): void {
  const balance = draft.lines.find((one) => one.line === 'balance' && one.wallet === wallet);
  const last = movementsIn(draft, wallet).at(-1);
  if (!last) draft.lines = draft.lines.filter((line) => line !== balance);
  if (!last) return;
  balance.version = last.version;
  balance.available.amount = last.available;
  if (last.reserved === undefined) delete balance.reserved;
  else balance.reserved = { ...(balance.reserved ?? balance.available), amount: last.reserved };
}
