import { isObject, type Json, type JsonObject } from '@countersign/protocol';

/** Data with one person's changes on top of another's: where both changed the same, it is mine. */
export function rebased(before: JsonObject, theirs: JsonObject, mine: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  const members = names.flatMap((name): [string, Json][] => {
    const [was, their, my] = [before, theirs, mine].map((one) => (Object.hasOwn(one, name) ? one[name] : undefined));
    const isMine = JSON.stringify(was) !== JSON.stringify(my);
    const areAll = isData(was) && isData(their) && isData(my);
    const value = isMine && areAll ? rebased(was, their, my) : isMine ? my : their;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}

/** Whether a value is data of a record: an object. */
export function isData(value: Json | undefined): value is JsonObject {
  return value !== undefined && isObject(value);
}
