import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureConsoleBuilt } from './build.mjs';
import { makeBase } from './image/base.mjs';
import { build, describe, discard, findEngine, output, pull, save } from './image/engine.mjs';
import { layOutModules } from './image/modules.mjs';
import { billOfImage } from './image/sbom.mjs';
import { ensureInstalled } from './install.mjs';
import { readJsonFile } from './json.mjs';
import { originOf } from './pack/origin.mjs';
import { root, say } from './root.mjs';

/** What is asked of Debian's packages. */
const FIELDS = ['Package', 'Version', 'Architecture']
  .map((field) => `\${${field}}`)
  .join(' ')
  .concat('\\n');

const { values } = parseArgs({
  options: {
    cpu: { type: 'string', default: process.arch },
    'base-only': { type: 'boolean', default: false },
    discard: { type: 'boolean', default: false },
    engine: { type: 'string' },
    'local-base': { type: 'boolean', default: false },
    'fresh-base': { type: 'boolean', default: false },
    node: { type: 'string' },
    out: { type: 'string', default: join(root, 'dist-release') },
    packages: { type: 'string' },
    save: { type: 'boolean', default: false },
    tag: { type: 'string' },
  },
});
const cpu = values.cpu;
const platform = `linux/${cpu === 'x64' ? 'amd64' : 'arm64'}`;
if (cpu !== 'x64' && cpu !== 'arm64') throw new Error(`--cpu is x64 or arm64, not ${cpu}`);

if (!values['base-only']) {
  ensureInstalled();
  ensureBuilt();
  ensureConsoleBuilt();
}
const began = performance.now();
const work = mkdtempSync(join(tmpdir(), 'countersign-image-'));
try {
  makeImage();
} finally {
  rmSync(work, { recursive: true, force: true });
}

function makeImage() {
  const engine = findEngine(values.engine);
  if (values['base-only']) return baseFor(engine);
  const { version } = readJsonFile(join(root, 'package.json'));
  const { commit, made, url } = originOf(root);
  const tag = values.tag ?? `localhost/countersign:${version}${cpu === process.arch ? '' : `-${cpu}`}`;
  const context = join(work, 'context');
  const app = join(context, 'app');
  mkdirSync(app, { recursive: true });
  say('laying out the modules ...');
  const bill = layOutModules(app, { work, cpu, version, url, packages: values.packages });
  cpSync(join(root, 'Containerfile'), join(context, 'Containerfile'));
  cpSync(join(root, 'LICENSE'), join(app, 'LICENSE'));
  const args = { ...baseFor(engine), VERSION: version, REVISION: commit ?? '', CREATED: made ?? '' };
  const labels = url === undefined ? {} : { 'org.opencontainers.image.source': url };
  say(`building ${tag} by ${engine} ...`);
  build(engine, { context, tag, platform, isFresh: values['fresh-base'], args, labels });

  let isKept = false;
  try {
    describeImage({ engine, tag, bill, version, modules: join(app, 'node_modules') });
    isKept = !values.discard;
  } finally {
    if (!isKept) discard(engine, tag);
  }
}

/** Writes what is in an image that was built, and the image itself where that is asked for. */
function describeImage({ engine, tag, bill, version, modules }) {
  const { id, size } = describe(engine, tag);
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const name = `countersign-${version}-linux-${cpu}`;
  const asked = `node --version && dpkg-query --show --showformat='${FIELDS}'`;
  const [node, ...debian] = output(engine, tag, ['sh', '-c', asked]).split('\n');
  const contents = { modules, version, id, node: node.replace(/^v/, ''), debian };
  const whole = billOfImage(bill, contents);
  writeFileSync(join(out, `${name}.cdx.json`), `${JSON.stringify(whole, null, 2)}\n`);
  if (values.save) save(engine, tag, join(out, `${name}.tar`));
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  say(
    `${tag}  ${id.slice(0, 12)}  ${(size / 1e6).toFixed(0)} MB, Node.js ${contents.node}, ${seconds} s; ${name}.cdx.json beside it`,
  );
}

/** What the Containerfile begins with: its own choice, or images that are made here where no registry is reached. */
function baseFor(engine) {
  const node = values.node === undefined ? undefined : `docker.io/library/node:${values.node}-trixie-slim`;
  if (!values['local-base']) {
    // Docker says by itself what it cannot pull.
    const problem = engine === 'docker' ? undefined : pull(engine, node ?? imageOf('NODE'), platform);
    if (problem === undefined) return node === undefined ? {} : { NODE: node };
    if (engine !== 'buildah')
      throw new Error(`the base cannot be pulled (${problem}); without a registry, Buildah makes one`);
    // What a release is made of is chosen by who makes it, and not by what fails.
    if (values['fresh-base']) throw new Error(`the base cannot be pulled (${problem}); --local-base makes one here`);
    say(`the base cannot be pulled, and is made here (${problem})`);
  }
  if (engine !== 'buildah') throw new Error('a base without a registry of images is made by buildah');
  return makeBase({ cpu, isFresh: values['fresh-base'], ...(values.node === undefined ? {} : { node: values.node }) });
}

function imageOf(name) {
  return new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(readFileSync(join(root, 'Containerfile'), 'utf8'))[1];
}
