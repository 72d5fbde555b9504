/** A unit of systemd as its text sets it. */
export class Unit {
  readonly #text: string;

  /** @param texts of the unit, and of what `systemctl edit` adds */
  constructor(...texts: readonly string[]) {
    this.#text = texts.join('\n');
  }

  /** All values of a setting: an empty one takes back those before it. */
  all(name: string): string[] {
    const found = [...this.#text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
    return found.slice(found.lastIndexOf('') + 1);
  }

  /** @throws Error where it is not set */
  one(name: string): string {
    const value = this.all(name).at(-1);
    if (value === undefined) throw new Error(`The unit has no ${name}.`);
    return value;
  }

  /**
   * Shell commands that run its program in the background, `$server`, as its user and with what of its bounds can be had without systemd.
   *
   * @param scratch a folder that is written to beside the unit's own
   * @param node instead of /usr/bin/node
   */
  toShell(scratch: string, node: string): string {
    const [user, group, state] = [this.one('User'), this.one('Group'), this.one('StateDirectory')];
    const credentials = `${scratch}/credentials`;
    const folder = `/var/lib/${state}`;
    const places = (text: string) => text.replaceAll('%d', credentials).replaceAll('%S', '/var/lib');
    const secrets = this.all('LoadCredential').map((one) => {
      const [name = '', path = ''] = one.split(':');
      return `install -m 0400 -o ${user} ${path} ${credentials}/${name}`;
    });
    const inside = [
      // ProtectSystem=strict, with StateDirectory and PrivateTmp.
      `mount --bind ${folder} ${folder}`,
      'for at in / /etc /opt /var/lib; do mount -o remount,bind,ro $at; done',
      'mount -t tmpfs -o mode=1777 none /var/tmp',
      ...this.all('EnvironmentFile').map((path) => `set -a; . ${path}; set +a`),
      ...this.all('Environment').map((one) => `export ${places(one)}`),
      `export HOME=${folder} TMPDIR=/var/tmp`,
      `umask ${this.one('UMask')}; cd ${places(this.one('WorkingDirectory'))}`,
      `exec setpriv --reuid=${user} --regid=${group} --clear-groups \\
        --no-new-privs --inh-caps=-all --bounding-set=-all ${this.one('ExecStart').replace('/usr/bin/node', node)}`,
    ];
    return [
      `rm -rf ${credentials} && mkdir -p ${credentials} && chmod 0755 ${credentials}`,
      ...secrets,
      `install -d -m ${this.one('StateDirectoryMode')} -o ${user} -g ${group} ${folder}`,
      `cat > ${scratch}/start <<'END'\n${inside.join('\n')}\nEND`,
      // Emptied here: the process in the background may do so late, and what an earlier one printed would be taken for its own.
      `: > ${scratch}/out`,
      // It becomes the program: the process stays the same.
      `unshare --mount --propagation private bash -e ${scratch}/start > ${scratch}/out 2>&1 &`,
      'server=$!',
    ].join('\n');
  }
}
