import type { Kind } from './kind.js';

/** The statuses in which a record that is in force can be erased; none for a kind whose records are dropped before. */
export function finalStatuses({ lifecycle: { erasable } }: Pick<Kind, 'lifecycle'>): readonly string[] {
  return typeof erasable === 'object' ? erasable.whenFinal : [];
}

/**
 * Why a record cannot be erased as it is, in words for whoever asks (interface/records#erase); undefined where it can be.
 *
 * @param record its kind can be erased at all; `isDropped` by its last change
 */
export function whyNotErased(
  kind: Pick<Kind, 'lifecycle' | 'title'>,
  { status, isDropped }: { readonly status: string | undefined; readonly isDropped: boolean },
): string | undefined {
  if (isDropped) return undefined;
  const statuses = finalStatuses(kind);
  if (statuses.length === 0) return `${kind.title} is in force. Drop it before it is erased.`;
  if (status !== undefined && statuses.includes(status)) return undefined;
  return `${kind.title} is ${status}. It can be erased once it is ${statuses.join(' or ')}.`;
}

/**
 * The names that stay taken when a record is erased in force, as they are veiled: what was signed for it under that name is
 * not done a second time.
 *
 * @param key unique within the kind
 */
export function namesKept(kind: Pick<Kind, 'lifecycle' | 'name'>, key: string): readonly string[] {
  return finalStatuses(kind).length > 0 ? [`${kind.name} ${key}`] : [];
}
