/** Statuses that take a signer, factor, schema or effect out of use (interface/statuses). */
export const OUT_OF_USE = ['inactive', 'blocked'] as const;

/** Whether a signer, factor, schema or effect is in use, by its status. */
export function isInUse(status: string | null | undefined): boolean {
  return !(OUT_OF_USE as readonly unknown[]).includes(status);
}
