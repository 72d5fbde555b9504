import { EXIT } from '../terminal/failure.js';
import { CONNECTION_OPTIONS, type Definition, GENERAL, type Option, optionName, optionsOf } from './definition.js';
import { aboutGroup } from './groups.js';

/** A page of the documentation. */
export interface CommandPage {
  /** Path of the file in `docs`. */
  readonly file: string;
  readonly text: string;
}

/** Stands at the head of each page. */
const MADE = '<!-- Made from the definitions in packages/cli/src: npm run cli-docs writes it anew. -->';

/** The page that lists all commands, as the repository has it: without links, since it lacks the pages of each. */
export function indexPage(commands: readonly Definition[]): CommandPage {
  return { file: LIST, text: overview(commands, ({ path }) => `\`${path.join(' ')}\``) };
}

/** All pages, as a package has them: one that lists the commands, and one for each. */
export function allPages(commands: readonly Definition[]): CommandPage[] {
  return [
    { file: LIST, text: overview(commands, (command) => `[\`${command.path.join(' ')}\`](${pageFile(command)})`) },
    ...commands.map((command) => ({ file: pageFile(command), text: commandText(command) })),
  ];
}

const LIST = 'cli.md';

function pageFile({ path }: Definition): string {
  return `cli/${path.join('-')}.md`;
}

/** @param entry how a command stands in the list */
function overview(commands: readonly Definition[], entry: (command: Definition) => string): string {
  const groups = new Map<string, Definition[]>();
  for (const command of commands) {
    const name = command.path.length === 1 ? '' : (command.path[0] as string);
    groups.set(name, [...(groups.get(name) ?? []), command]);
  }
  const sections = [...groups].map(([name, members]) => {
    const heading = name === '' ? '## General' : `## ${name}\n\n${aboutGroup(name)}.`;
    const rows = members.map((one) => `| ${entry(one)} | ${escapeCell(one.summary)} |`);
    return `${heading}\n\n| Command | Does |\n|---|---|\n${rows.join('\n')}`;
  });
  const codes = Object.values(EXIT).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return [
    MADE,
    '# The countersign command',
    'Works with keys, ledgers and records from a terminal or a script. `npx countersign` runs it where it is installed, and in the ' +
      'repository after `npm run build`. `countersign <command> --help` shows the options of a command; a server ' +
      'shows them as pages, at `/docs/cli.html`.',
    INTRODUCTION,
    ...sections,
    '## Options of every command',
    optionTable(GENERAL),
    '## Options of commands that speak to a server',
    'Without a flag, the environment variable counts; without both, the selected context.',
    optionTable(CONNECTION_OPTIONS),
    '## Exit codes',
    `| Code | Means |\n|---|---|\n${codes.join('\n')}`,
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

const INTRODUCTION = `- **Questions.** At a terminal, the command asks for missing values. Each can also be given as a flag or an argument, for use in
  scripts. Without a terminal, a missing value ends the command with exit code 2.
- **Results** are written to standard output, everything else to standard error. \`--json\` writes results for programs.
- **Keys** are kept in \`~/.countersign/keys\`, one file for each: PKCS#8 in PEM, encrypted with a password (scrypt with 128 MiB,
  AES-256), readable by the owner only. \`COUNTERSIGN_HOME\` names a folder other than \`~/.countersign\`.
  Each call asks for the password, unless it is in \`COUNTERSIGN_PASSWORD\`, or in the first line of the file
  \`COUNTERSIGN_PASSWORD_FILE\`, which nobody else may be able to read.
- **Contexts** name a server, a ledger and a key, in \`~/.countersign/contexts.json\`. The key with which a ledger signs is stored
  there when the ledger is made or selected. Every answer of the server is verified: its hash, its proofs, and that it is signed with
  that key.
- **Handles that begin with a dash**, such as those chosen by the ledger, may need \`--\` before them.
- \`NO_COLOR\` turns colours off. \`countersign completion bash\`, \`zsh\` or \`fish\` writes a completion script for the shell.`;

function commandText(command: Definition): string {
  const { path, summary, about, arguments: positions = [], examples = [] } = command;
  const words = positions.map(({ name, isOptional }) => (isOptional ? `[${name}]` : `<${name}>`));
  const call = ['countersign', ...path, ...words, '[options]'].join(' ');
  const shared = new Set([...(command.connects ? CONNECTION_OPTIONS : []), ...GENERAL].map(optionName));
  const own = optionsOf(command).filter((one) => !shared.has(optionName(one)) || command.options?.includes(one));
  const rows = positions.map(({ name, about, choices, ask }) => {
    return `| \`${name}\` | ${escapeCell(about + choicesText(choices))}${ask === undefined ? '' : '; the command asks for it if it is missing'} |`;
  });
  const link = `See [options of every command](../cli.md#options-of-every-command)${
    command.connects
      ? ' and [of commands that speak to a server](../cli.md#options-of-commands-that-speak-to-a-server)'
      : ''
  }.`;
  return [
    MADE,
    `# countersign ${path.join(' ')}`,
    `${summary}.`,
    `    ${call}`,
    ...(about === undefined ? [] : [about]),
    ...(rows.length === 0 ? [] : [`| Position | Is |\n|---|---|\n${rows.join('\n')}`]),
    ...(own.length === 0 ? [] : [optionTable(own)]),
    link,
    ...(examples.length === 0 ? [] : ['## Examples', ...examples.map((one) => `    ${one.call}\n\n${one.about}`)]),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function optionTable(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const { flags, about, env, choices, default: initial } = option;
    const more = `${choicesText(choices)}${initial === undefined ? '' : `; \`${initial}\` by default`}`;
    return `| \`${flags}\` | ${env === undefined ? '' : `\`${env}\``} | ${escapeCell(about)}${escapeCell(more)} |`;
  });
  return `| Option | Variable | Is |\n|---|---|---|\n${rows.join('\n')}`;
}

function choicesText(choices: readonly string[] = []): string {
  return choices.length === 0 ? '' : `: ${choices.map((one) => `\`${one}\``).join(', ')}`;
}

function escapeCell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replace(/\{\{ (\S+) \}\}/g, '`{{ $1 }}`');
}
