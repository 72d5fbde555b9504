/**
 * Cuts the section of a release. What is under *Unreleased* becomes the section of the version; a section of it that is there
 * without a date is dated.
 *
 * @param {string} text the changelog
 * @param {string} version such as `0.3.0`
 * @param {string} date such as `2026-12-01`
 * @returns {{text: string, section: string}} the new changelog, and what it says of the release, without the heading
 * @throws Error where there is nothing to release, or a choice is left
 */
export function cutRelease(text, version, date) {
  const heading = `## [${version}]`;
  const parts = text.split(/^(?=## )/m);
  const at = parts.findIndex((part) => part.startsWith('## [Unreleased]\n'));
  if (at < 0) throw new Error('CHANGELOG.md has no section [Unreleased]');
  const waiting = bodyOf(parts[at]);
  const own = parts.findIndex((part) => part.startsWith(`${heading}\n`));
  if (parts.some((part) => part.startsWith(`${heading} `)))
    throw new Error(`CHANGELOG.md says that ${version} was released`);
  if (own >= 0 && waiting !== '') {
    throw new Error(`CHANGELOG.md has lines under [Unreleased] and a section [${version}]: put them together`);
  }
  const section = own >= 0 ? bodyOf(parts[own]) : waiting;
  if (section === '') throw new Error('CHANGELOG.md has nothing under [Unreleased]');
  const released = `${heading} - ${date}\n\n${section}\n\n`;
  if (own >= 0) parts[own] = released;
  else parts.splice(at, 1, '## [Unreleased]\n\n', released);
  return { text: `${parts.join('').trimEnd()}\n`, section };
}

function bodyOf(part) {
  return part.slice(part.indexOf('\n')).trim();
}
