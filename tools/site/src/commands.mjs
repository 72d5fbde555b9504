/**
 * The pages of the commands, those of a group as one: `cli/wallet` has a section for each command that begins with `wallet`.
 *
 * @param {readonly {file: string, text: string}[]} made a page for each command, and first of all their list
 * @returns {{source: string, page: string, title: string, text: string}[]} named by paths in `docs`, as the list links to them
 */
export function groupCommands([list, ...made]) {
  const groups = new Map();
  const places = new Map();
  for (const { file, text } of made) {
    const [, title] = /^# (.+)$/m.exec(text);
    const words = title.split(' ');
    const group = words[1];
    const body = text.replace(/^<!--.*-->\s*/, '').replace(/^# .+$/m, `## ${title}`);
    groups.set(group, [...(groups.get(group) ?? []), body]);
    places.set(file, `cli/${group}.md#${title.toLowerCase().replaceAll(' ', '-')}`);
  }
  const withPlaces = (text, up) =>
    text.replace(/\]\((?:\.\.\/)?(?:cli\/)?([\w-]+\.md)/g, (whole, name) => {
      const place = places.get(`cli/${name}`);
      return place === undefined ? whole : `](${up}${place}`;
    });
  return [
    { source: `docs/${list.file}`, page: 'cli', title: 'The countersign command', text: withPlaces(list.text, '') },
    ...[...groups].map(([group, bodies]) => {
      const title = `countersign ${group}`;
      const single = bodies.length === 1 && bodies[0].startsWith(`## ${title}\n`);
      const text = single ? bodies[0].replace('## ', '# ') : `# ${title}\n\n${bodies.join('\n\n')}`;
      return { source: `docs/cli/${group}.md`, page: `cli/${group}`, title, text: withPlaces(text, '../') };
    }),
  ];
}
