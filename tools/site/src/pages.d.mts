/** A page of the site: its path in the repository, that in the site without an ending, and its text in Markdown. */
export interface Page {
  readonly source: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

export interface Entry {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Entry[];
}

export function collectPages(root: string): Map<string, Page>;
export function resolveLink(
  pages: ReadonlyMap<string, Page>,
  source: string,
  href: string,
  url?: string,
): string | undefined;
export function sideContents(
  pages: ReadonlyMap<string, Page>,
  added: Readonly<Record<string, readonly Entry[]>>,
): readonly Entry[];
