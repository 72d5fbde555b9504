import { spawnSync } from 'node:child_process';

/**
 * What a build is made of, as far as git knows.
 *
 * @param {string} root the folder of the repository
 * @returns {{commit?: string, made?: string, url?: string}} the short commit, with `-dirty` where files differ from it; when it
 *   was made (ISO 8601); the address of the repository for people, where the remote `origin` has one
 */
export function originOf(root) {
  const commit = git(root, ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=7']);
  if (commit === undefined) return {};
  const made = git(root, ['log', '-1', '--format=%cI']);
  const url = addressOf(git(root, ['remote', 'get-url', 'origin']) ?? '');
  return { commit, made, ...(url === undefined ? {} : { url }) };
}

/** `git@host:owner/name.git` and `https://host/owner/name.git` as `https://host/owner/name`; a local path is none. */
export function addressOf(remote) {
  const [, host, path] =
    /^(?:https:\/\/|ssh:\/\/git@|git@)([\w.-]+\.[a-z]+)[/:]([\w./-]+?)(?:\.git)?\/?$/.exec(remote) ?? [];
  return host === undefined ? undefined : `https://${host}/${path}`;
}

function git(cwd, args) {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  const text = status === 0 ? stdout.trim() : '';
  return text === '' ? undefined : text;
}
