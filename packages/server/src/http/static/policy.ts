/**
 * What a browser may do with pages of this server: show them and what they bring, and nothing from elsewhere.
 *
 * @param rules directives that differ from `'none'`, by their names
 */
export function pageHeaders(rules: Readonly<Record<string, string>>): Record<string, string> {
  const policy = {
    'default-src': "'none'",
    ...rules,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };
}
