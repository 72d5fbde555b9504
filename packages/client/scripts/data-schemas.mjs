const PREFIX = '#/components/schemas/';

/** The text of `data-schemas.ts`: the JSON Schemas of the data of all kinds, and what they refer to. */
export function dataSchemas(document, kinds) {
  const used = new Map();
  for (const { record } of kinds) collect(`${record}-data`, document, used);
  const text = JSON.stringify(Object.fromEntries(used), null, 2).replaceAll(`"${PREFIX}`, '"#/$defs/');
  return `
/** The JSON Schemas of the data of each kind, as \`wallet-data\`, and of their parts; \`$ref\` names one as \`#/$defs/handle\`. */
export const DATA_SCHEMAS: Readonly<Record<string, object>> = ${text};
`;
}

function collect(name, document, used) {
  if (used.has(name)) return;
  const schema = document.components.schemas[name];
  used.set(name, schema);
  for (const [, referred] of JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
    collect(referred, document, used);
  }
}
