import { git } from './checks.mjs';

/** Settings of a repository that say who commits, and how commits and tags are signed. */
const IDENTITY = '^(user|author|committer|gpg|commit|tag)\\.';

/**
 * Clones the commit that is checked out, with what the original says of itself: who commits, and where it is from.
 *
 * @param {string} root the original
 * @param {string} clone a folder that is not there yet
 */
export function cloneOf(root, clone) {
  git(root, ['clone', '--quiet', '--no-local', '--no-hardlinks', '--no-tags', root, clone]);
  for (const [name, value] of settingsOf(root, IDENTITY)) git(clone, ['config', '--add', name, value]);
  const [[, url] = []] = settingsOf(root, '^remote\\.origin\\.url$');
  git(clone, url === undefined ? ['remote', 'remove', 'origin'] : ['remote', 'set-url', 'origin', url]);
}

/**
 * Takes the commit of a release and its tag from the clone that it was made in: both or neither.
 *
 * @param {string} root the original, whose branch goes on to that commit
 * @param {{clone: string, version: string, before: string}} given the commit that was cloned
 * @throws Error where the original is no longer at that commit, or has changes that are not committed
 */
export function takeRelease(root, { clone, version, before }) {
  const tag = `refs/tags/v${version}`;
  git(root, ['fetch', '--quiet', '--no-tags', clone, `${tag}:${tag}`]);
  try {
    const now = git(root, ['rev-parse', 'HEAD']);
    if (now !== before) throw new Error(`the release was made of ${before}, and ${now} is checked out now`);
    git(root, ['merge', '--quiet', '--ff-only', tag]);
  } catch (error) {
    git(root, ['tag', '--delete', `v${version}`]);
    throw error;
  }
}

/** Settings of the repository itself. @returns {string[][]} pairs of name and value */
function settingsOf(root, pattern) {
  const listed = git(root, ['config', '--local', '--list', '--null']);
  return listed
    .split('\0')
    .filter(Boolean)
    .map((one) => {
      const at = one.indexOf('\n');
      return at < 0 ? [one, 'true'] : [one.slice(0, at), one.slice(at + 1)];
    })
    .filter(([name]) => new RegExp(pattern).test(name));
}
