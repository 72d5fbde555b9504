import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** TypeScript types of the components that the document calls schemas. */
export async function schemaTypes({ openapi, info, components: { schemas } }) {
  const tool = fileURLToPath(new URL('../../../tools/openapi-types/generate.mjs', import.meta.url));
  const generator = spawn(process.execPath, [tool], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => generator.once('close', resolve));
  generator.stdin.end(JSON.stringify({ openapi, info, paths: {}, components: { schemas } }));
  const types = await text(generator.stdout);
  if ((await ended) !== 0) throw new Error('The types of the description could not be made');
  const from = types.indexOf('export interface components {');
  const to = types.indexOf('\n}\n', from) + 3;
  return types.slice(from, to).replace(/^ {8}schemas: \{$/m, '        schemas: {');
}
