import { escapeHtml, inline } from './html.mjs';

/**
 * The type that a schema describes, in a few words of HTML; components are links to where they are described.
 *
 * @param {unknown} schema
 * @param {number} [depth] of objects around it: their members are shown to a depth of four
 * @returns {string}
 */
export function typeOf(schema, depth = 0) {
  if (typeof schema !== 'object' || schema === null) return schema === false ? 'never' : 'anything';
  const { $ref, type, enum: values, items, const: only, ...rest } = schema;
  if (typeof $ref === 'string') {
    const name = escapeHtml($ref.split('/').at(-1));
    return `<a href="#schema-${name}">${name}</a>`;
  }
  const literal = (value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`;
  if (Array.isArray(values)) return values.map(literal).join(' | ');
  if (only !== undefined) return literal(only);
  const branches = rest.anyOf ?? rest.oneOf;
  if (branches && !rest.properties) return branches.map((branch) => typeOf(branch, depth)).join(' | ');
  if (rest.allOf && !rest.properties) return rest.allOf.map((branch) => typeOf(branch, depth)).join(' & ');
  if (type === 'array') return `list of ${typeOf(items, depth)}`;
  if (rest.properties || type === 'object') return depth < 4 ? members(schema, depth) : 'object';
  return escapeHtml([type].flat().join(' | ') || 'anything');
}

/** The members of an object, as a list of terms. */
function members({ properties = {}, required = [], allOf = [] }, depth) {
  const also = allOf.map((branch) => `<div class="soft">all of ${typeOf(branch, depth + 1)}, and:</div>`).join('');
  const rows = Object.entries(properties).map(([name, member]) => {
    const text = typeof member.description === 'string' ? `<div class="soft">${inline(member.description)}</div>` : '';
    return term(
      `<code>${escapeHtml(name)}</code>${required.includes(name) ? '' : ' <span class="soft">?</span>'}`,
      typeOf(member, depth + 1) + text,
    );
  });
  return rows.length === 0 ? also || 'object' : `${also}<dl class="members">${rows.join('')}</dl>`;
}

/** A term of a list, and what it means. */
export function term(name, meaning) {
  return `<div><dt>${name}</dt><dd>${meaning}</dd></div>`;
}
