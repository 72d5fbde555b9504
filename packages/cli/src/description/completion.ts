import { type Definition, optionName, optionsOf } from './definition.js';

/** Shells for which there is completion. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** What may follow some words: the next words, or the options of a command. */
interface Branch {
  readonly words: string;
  readonly next: readonly string[];
}

/** The script that a shell reads to complete commands and options. */
export function completionFor(shell: (typeof SHELLS)[number], commands: readonly Definition[]): string {
  const branches = branchesOf(commands);
  switch (shell) {
    case 'bash':
      return bash(branches);
    case 'zsh':
      // Its own way of running such scripts.
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(branches)}`;
    case 'fish':
      return fish(branches);
  }
}

function branchesOf(commands: readonly Definition[]): Branch[] {
  const next = new Map<string, Set<string>>();
  const add = (words: string, word: string) => {
    const known = next.get(words) ?? new Set();
    next.set(words, known.add(word));
  };
  for (const command of commands) {
    command.path.forEach((word, index) => {
      add(command.path.slice(0, index).join(' '), word);
    });
    const whole = command.path.join(' ');
    for (const option of optionsOf(command)) add(whole, `--${optionName(option)}`);
    add(whole, '--help');
    for (const { choices = [] } of (command.arguments ?? []).slice(0, 1)) for (const one of choices) add(whole, one);
  }
  return [...next].map(([words, all]) => ({ words, next: [...all] }));
}

/** The words before the one that is completed are looked up, the longest match first; options and values are skipped. */
function bash(branches: readonly Branch[]): string {
  const cases = branches.map(({ words, next }) => `    '${words}') next='${next.join(' ')}' ;;`);
  return `_countersign() {
  local current=\${COMP_WORDS[COMP_CWORD]} words='' next='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) continue ;; esac
    _countersign_next "\${words:+$words }$word" && words="\${words:+$words }$word" || break
  done
  _countersign_next "$words"
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
_countersign_next() {
  case $1 in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
complete -o default -F _countersign countersign
`;
}

function fish(branches: readonly Branch[]): string {
  const lines = branches.map(({ words, next }) => {
    const options = next.filter((one) => one.startsWith('--')).map((one) => `-l ${one.slice(2)}`);
    const plain = next.filter((one) => !one.startsWith('--'));
    // Behind a command its options go on; behind a word of several, one more word is due.
    const isCommand = options.length > 0;
    const condition = `-n '__countersign_at ${isCommand ? 'in' : 'at'} "${words}"'`;
    const named = plain.length === 0 ? [] : [`complete -c countersign ${condition} -f -a '${plain.join(' ')}'`];
    return [...named, ...options.map((one) => `complete -c countersign ${condition} ${one}`)].join('\n');
  });
  return `function __countersign_at
  set -l words (commandline -opc)[2..]
  set -l plain
  for word in $words
    string match -q -- '-*' $word; or set -a plain $word
  end
  if test $argv[1] = at
    test "$plain" = "$argv[2]"
    return
  end
  set -l wanted (string split ' ' -- $argv[2])
  test (count $plain) -ge (count $wanted); and test "$plain[1..$(count $wanted)]" = "$argv[2]"
end
${lines.join('\n')}
`;
}
