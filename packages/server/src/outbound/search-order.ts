/** How the system completes names (resolv.conf(5)). */
export interface SearchOrder {
  readonly domains: readonly string[];
  /** A name of so many dots is asked for as it is first. */
  readonly dots: number;
}

export const RESOLVER_FILE = '/etc/resolv.conf';

/** The greatest numbers that the C library takes. */
const MOST_SEARCHED = { domains: 6, dots: 15 };

/** What a file of this form says: the last `search` or `domain`, and `options ndots:`. */
export function parseSearchOrder(text: string): SearchOrder {
  let domains: readonly string[] = [];
  let dots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (keyword === 'search') domains = values.map(withoutDots).filter((domain) => domain !== '');
    if (keyword === 'domain') domains = values.slice(0, 1).map(withoutDots);
    const ndots = keyword === 'options' && values.map((value) => /^ndots:(\d{1,3})$/.exec(value)?.[1]).find(Boolean);
    if (ndots) dots = Math.min(Number(ndots), MOST_SEARCHED.dots);
  }
  return { domains: domains.slice(0, MOST_SEARCHED.domains), dots };
}

/** The names that a name may stand for, in the order in which they are asked for. One that ends in a dot is whole. */
export function candidatesOf(name: string, { domains, dots }: SearchOrder): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const completed = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length > dots ? [name, ...completed] : [...completed, name];
}

function withoutDots(domain: string): string {
  return domain.replace(/\.+$/, '');
}
