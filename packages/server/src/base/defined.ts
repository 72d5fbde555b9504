/**
 * The members that have a value. Most readers take a member that is `undefined` for an absent one, as JSON does; those that
 * list the members do not: headers, query texts, rules on which members a record has.
 */
export function defined<Value>(members: { readonly [name: string]: Value | undefined }): { [name: string]: Value } {
  const entries = Object.entries(members).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
