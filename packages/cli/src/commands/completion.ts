import type { CliCommand } from '../description/command.js';
import { completionFor, SHELLS } from '../description/completion.js';
import { usage } from '../terminal/failure.js';

/** @param all every command, this one included */
export function completionCommand(all: () => readonly CliCommand[]): CliCommand {
  return {
    path: ['completion'],
    summary: 'Write what completes commands and options in a shell',
    arguments: [{ name: 'shell', about: 'which shell', choices: SHELLS }],
    examples: [
      { call: 'source <(countersign completion bash)', about: 'bash and zsh, in .bashrc or .zshrc' },
      { call: 'countersign completion fish > ~/.config/fish/completions/countersign.fish', about: 'fish' },
    ],
    async run(invocation) {
      const given = await invocation.need('shell');
      const shell = SHELLS.find((one) => one === given);
      if (shell === undefined) throw usage(`'${given}' is not a supported shell.`);
      invocation.output.raw(completionFor(shell, all()));
    },
  };
}
