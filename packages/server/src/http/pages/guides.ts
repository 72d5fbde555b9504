import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { PACKAGE } from '../../base/package.js';
import { escapeHtml, layout, type Sendable, sendable } from './html.js';
import { renderMarkdown } from './markdown.js';

/** Where the guides are: within the package as it is published, else in the repository. */
const [FOLDER] = ['docs/', '../../docs/'].map((path) => new URL(path, PACKAGE)).filter((folder) => existsSync(folder));

/** The guides by name, such as `interface/records`. Nothing else of the disk is ever read. */
export class Guides {
  readonly #names: ReadonlySet<string>;
  readonly #pages = new Map<string, Sendable>();

  constructor() {
    const files = FOLDER ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }) : [];
    this.#names = new Set(files.filter((file) => file.endsWith('.md')).map(guideName));
  }

  /** A guide as a page; the list of all for the empty name, that of decisions for theirs; undefined for one that is unknown. */
  page(name: string): Sendable | undefined {
    if (name !== '' && name !== APART && !this.#names.has(name)) return undefined;
    const page = this.#pages.get(name) ?? sendable(this.#make(name));
    this.#pages.set(name, page);
    return page;
  }

  #make(name: string): string {
    if (name === '') return this.#list();
    return name === APART ? this.#listApart() : this.#render(name);
  }

  #render(name: string): string {
    const text = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
    const up = '../'.repeat(name.split('/').length + 1);
    const link = (href: string) => this.#resolve(name, href, up);
    return layout({ title: titleOf(text, name), body: renderMarkdown(text, link), up });
  }

  /** A link of a guide, as the page has it: to another guide, or within this one. */
  #resolve(name: string, href: string, up: string): string | undefined {
    if (href.startsWith('#')) return href;
    const [path = '', section] = href.split('#');
    const to = guideName(posix.join(posix.dirname(name), path));
    if (!path.endsWith('.md') || !this.#names.has(to)) return undefined;
    return `${up}docs/guides/${to}${section === undefined ? '' : `#${section}`}`;
  }

  /** The pages of a folder, in the order in which its first page names them. */
  #inOrder(folder: string, names: readonly string[]): readonly string[] {
    const first = posix.join(folder, 'README');
    if (!names.includes(first)) return names;
    const text = readFileSync(new URL(`${first}.md`, FOLDER), 'utf8');
    const placeOf = (name: string) => (name === first ? -1 : text.indexOf(`(${posix.basename(name)}.md)`) >>> 0);
    return names.toSorted((one, other) => placeOf(one) - placeOf(other));
  }

  #list(): string {
    const { [APART]: _, ...folders } = Object.fromEntries(groupByFolder(this.#names));
    const lists = Object.entries(folders).map(([folder, all]) => {
      const items = this.#links(this.#inOrder(folder, all), 'guides/');
      return `<h2>${escapeHtml(HEADINGS[folder] ?? folder)}</h2>\n<ul>${items}</ul>`;
    });
    const apart = `<h2>Decisions</h2>\n<p><a href="guides/${APART}">Why things are as they are</a></p>`;
    return layout({ title: 'Guides', body: `<h1>Guides</h1>\n${lists.join('\n')}\n${apart}`, up: '../' });
  }

  #listApart(): string {
    const items = this.#links(groupByFolder(this.#names).get(APART) ?? [], '');
    return layout({ title: 'Decisions', body: `<h1>Decisions</h1>\n<ul>${items}</ul>`, up: '../../' });
  }

  #links(names: readonly string[], below: string): string {
    const items = names.map((name) => {
      const text = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
      return `<li><a href="${below}${escapeHtml(name)}">${escapeHtml(titleOf(text, name))}</a></li>`;
    });
    return items.join('\n');
  }
}

/** The folder whose pages have a list of their own: readers of guides need none of them. */
const APART = 'decisions';

/** The folder whose pages `cli.md` lists. They are made for the package, and the repository lacks them. */
const LISTED_ON_A_PAGE = 'cli';

const HEADINGS: Readonly<Record<string, string>> = {
  guides: 'How to begin',
  '.': 'About the service',
  interface: 'The interface',
  operations: 'Running a server',
};

/** The name of a file, or of what a link leads to. */
function guideName(file: string): string {
  return file.replaceAll('\\', '/').replace(/\.md$/, '');
}

function titleOf(text: string, name: string): string {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? name;
}

function groupByFolder(names: ReadonlySet<string>): Map<string, string[]> {
  const folders = new Map<string, string[]>([
    ['guides', []],
    ['.', []],
    ['interface', []],
    ['operations', []],
  ]);
  for (const name of [...names].sort()) {
    const folder = posix.dirname(name);
    if (folder === LISTED_ON_A_PAGE) continue;
    folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  return folders;
}
