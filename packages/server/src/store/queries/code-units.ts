import { type RawBuilder, sql } from 'kysely';

/**
 * Strings compare by UTF-16 code unit (interface/lists#comparison). PostgreSQL compares the bytes of UTF-8, which
 * differs in one case: characters beyond U+FFFF stand before U+E000 to U+FFFF in code units, as surrogates, and after
 * them in bytes.
 */

/**
 * Whether a text compares with every other by its bytes as by its code units, being free of characters of both sorts.
 */
export function isOrderedAsBytes(text: string): boolean {
  return !/[\ud800-\uffff]/.test(text);
}

/**
 * A text whose bytes are in the order of the code units of the given one: the first bytes of long characters change
 * places with those of U+E000 to U+FFFF. One character stands for each byte meanwhile.
 */
export function toCodeUnitOrder(text: RawBuilder<string>): RawBuilder<string> {
  return sql`translate(convert_from(convert_to(${text}, 'UTF8'), 'LATIN1'), 'îïðñòóô', 'óôîïðñò') collate "C"`;
}
