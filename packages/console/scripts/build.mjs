import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist');

/** Files that are worth compressing. */
const TEXT = /\.(html|js|css|svg)$/;

await build({
  root,
  configFile: false,
  // Any static host serves the files, under any path.
  base: './',
  // Its warnings are about servers that render React.
  logLevel: 'error',
  // The looks that all pages of the server share.
  resolve: { alias: { look: join(root, '../server/look') } },
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: out,
    target: 'es2022',
    // The policy of the page forbids what is written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licences.md' },
  },
});
for (const { parentPath, name } of readdirSync(out, { recursive: true, withFileTypes: true })) {
  if (!TEXT.test(name)) continue;
  const path = join(parentPath, name);
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
