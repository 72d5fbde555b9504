import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { listLimits } from '../../lists/list-limits.js';
import type { OutboundAnswer } from '../../outbound/outbound.js';
import { parseBoundedAnswer } from '../../outbound/parse-answer.js';
import { invalidAnswer, type LookupTrait, NoAnswer } from './invalid-answer.js';

/**
 * The items of a list that a bridge answered, each the data of a record. They carry no signatures: by signing its own list,
 * the ledger says that the bridge answered so (interface/lookups#what-a-bridge-answers).
 *
 * @throws NoAnswer for a status other than 2xx; `bridge.proxy-response-invalid` for any other body, and for too many items
 */
export function parseItems(trait: LookupTrait, { status, text }: OutboundAnswer): readonly JsonObject[] {
  if (status < 200 || status >= 300) throw new NoAnswer(trait);
  const body = parseBoundedAnswer(text);
  const items = isObject(body) ? body.data : undefined;
  if (!Array.isArray(items) || items.length > listLimits.page.greatest) throw invalidAnswer(trait);
  if (!items.every(isBareData)) throw invalidAnswer(trait);
  return items;
}

/** Tells the data of a record from a whole record. */
function isBareData(item: Json): item is JsonObject {
  return isObject(item) && !(isObject(item.data) || isObject(item.meta));
}
