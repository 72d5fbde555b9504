import { parseAddress } from '@countersign/protocol';

/** What a handle is bounded by; its pattern is `HANDLE_PATTERN` of the protocol (interface/envelope#handles). */
export const handleLimits = {
  /** Characters of a handle. */
  characters: 255,
} as const;

/** Whether `text` may be a handle (interface/envelope#handles). Other texts name no record, and the database may refuse them. */
export function isHandle(text: string): boolean {
  return text.length <= handleLimits.characters && parseAddress(text) !== undefined;
}
