import type { Schema } from '../openapi/schemas.js';
import { escapeHtml } from './html.js';

/** The type that a schema describes, in a few words of HTML; components are links to where they are described. */
export function typeOf(schema: unknown, depth = 0): string {
  if (typeof schema !== 'object' || schema === null) return schema === false ? 'never' : 'anything';
  const { $ref, type, enum: values, items, const: only, ...rest } = schema as Schema;
  if (typeof $ref === 'string') {
    const name = escapeHtml($ref.split('/').at(-1) ?? '');
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (Array.isArray(values))
    return values.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' | ');
  if (only !== undefined) return `<code>${escapeHtml(JSON.stringify(only))}</code>`;
  const branches = (rest.anyOf ?? rest.oneOf) as unknown[] | undefined;
  if (branches && !rest.properties) return branches.map((branch) => typeOf(branch, depth)).join(' | ');
  const whole = rest.allOf as unknown[] | undefined;
  if (whole && !rest.properties) return whole.map((branch) => typeOf(branch, depth)).join(' & ');
  if (type === 'array') return `list of ${typeOf(items, depth)}`;
  if (rest.properties || type === 'object') return depth < 4 ? membersTable(schema as Schema, depth) : 'object';
  return escapeHtml([type].flat().join(' | ') || 'anything');
}

/** The members of an object, as a table. */
function membersTable(schema: Schema, depth: number): string {
  const {
    properties = {},
    required = [],
    allOf = [],
  } = schema as {
    properties?: Record<string, Schema>;
    required?: string[];
    allOf?: Schema[];
  };
  const also = allOf.map((branch) => `<div class="soft">all of ${typeOf(branch, depth + 1)}, and:</div>`).join('');
  const rows = Object.entries(properties).map(([name, member]) => {
    const text =
      typeof member.description === 'string' ? ` <span class="soft">${inline(member.description)}</span>` : '';
    const mark = required.includes(name) ? '' : '<span class="soft">?</span>';
    return `<tr><td class="name"><code>${escapeHtml(name)}</code>${mark}</td><td>${typeOf(member, depth + 1)}${text}</td></tr>`;
  });
  if (rows.length === 0) return also === '' ? 'object' : also;
  return `${also}<table>${rows.join('')}</table>`;
}

/** Text with `code`. */
export function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
