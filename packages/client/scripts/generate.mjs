// Writes src/generated from the OpenAPI description of the server: of this repository, or of the file that is named.
import { readFile, writeFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { dataSchemas } from './data-schemas.mjs';
import { describe } from './describe.mjs';
import { schemaTypes } from './schema-types.mjs';
import { writeDescription, writeKinds, writeOperations } from './write.mjs';

const HEAD =
  '// Made by packages/client/scripts/generate.mjs from the OpenAPI description. Change that, and run it again.\n';

/** The generated files by name. */
export async function generate(document) {
  const kinds = describe(document);
  return {
    'schemas.ts': HEAD + (await schemaTypes(document)),
    'kinds.ts': HEAD + writeKinds(kinds),
    'operations.ts': HEAD + writeOperations(kinds),
    'description.ts': HEAD + writeDescription(kinds),
    'data-schemas.ts': HEAD + dataSchemas(document, kinds),
  };
}

/** The description that the built server serves. */
async function ownDocument() {
  const { openApi } = await import('../../server/dist/http/openapi.js');
  return JSON.parse(JSON.stringify(openApi({ publicUrl: 'http://127.0.0.1:3000/v2', build: '0.0.0' })));
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const document = argv[2] ? JSON.parse(await readFile(argv[2], 'utf8')) : await ownDocument();
  const folder = new URL('../src/generated/', import.meta.url);
  for (const [name, text] of Object.entries(await generate(document))) await writeFile(new URL(name, folder), text);
}
