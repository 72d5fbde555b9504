import {
  Argument as CommanderArgument,
  Command as CommanderCommand,
  CommanderError,
  Option as CommanderOption,
} from 'commander';
import { failureOfClient } from './client-failure.js';
import type { CliCommand } from './description/command.js';
import { optionName, optionsOf, takesValue } from './description/definition.js';
import { aboutGroup, helpBehind } from './description/groups.js';
import { Invocation, type Values } from './description/invocation.js';
import { EXIT, Failure, usage } from './terminal/failure.js';
import { Output } from './terminal/output.js';
import type { Surroundings } from './terminal/surroundings.js';

/**
 * Runs one call of the command.
 *
 * @param args without the names of the program
 * @returns the exit code
 */
export async function runProgram(
  args: readonly string[],
  commands: readonly CliCommand[],
  version: string,
  surroundings: Surroundings,
): Promise<number> {
  const program = parserOf(commands, version, surroundings);
  try {
    if (args.length === 0) {
      surroundings.stdout.write(program.helpInformation());
      return EXIT.done.code;
    }
    await program.parseAsync(withGivenHandles(args), { from: 'user' });
    return EXIT.done.code;
  } catch (error) {
    return reportFailure(error, args, surroundings);
  }
}

/**
 * The ledger gives handles that may begin with a dash (`-3DdIYbO0trprOWNM`), which look like options. They are moved
 * behind `--`, where nothing is an option; what follows an option may be its value, and stays.
 */
function withGivenHandles(args: readonly string[]): string[] {
  if (args[0] === 'curl' || args.includes('--')) return [...args];
  const isHandle = (text: string, index: number) =>
    /^-[A-Za-z0-9_][A-Za-z0-9_-]{15}$/.test(text) && !args[index - 1]?.startsWith('--');
  const handles = args.filter(isHandle);
  if (handles.length === 0) return [...args];
  return [...args.filter((text, index) => !isHandle(text, index)), '--', ...handles];
}

/** Tells the user why a call failed. */
function reportFailure(error: unknown, args: readonly string[], surroundings: Surroundings): number {
  // Help and version are written already; the help of a group that was called without a command is no success.
  if (error instanceof CommanderError) return error.code === 'commander.help' ? EXIT.usage.code : EXIT.done.code;
  const output = new Output(surroundings, args.includes('--json'));
  const failure = error instanceof Failure ? error : failureOfClient(error);
  if (failure !== undefined) {
    output.failure(failure);
    return failure.code;
  }
  // Standard output was closed by whoever read it, as `head` does.
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.done.code;
  output.failure(new Failure('local', error instanceof Error ? error.message : String(error)));
  if (surroundings.env.COUNTERSIGN_DEBUG) surroundings.stderr.write(`${(error as Error).stack}\n`);
  return EXIT.local.code;
}

/** The parser of all commands. */
export function parserOf(
  commands: readonly CliCommand[],
  version: string,
  surroundings: Surroundings,
): CommanderCommand {
  const program = configureParser(new CommanderCommand('countersign'), surroundings)
    .description('Work with the signed records of a Countersign ledger.')
    .version(version)
    .addHelpText('after', `\nExit codes: ${codes()}.`);
  const groups = new Map<string, CommanderCommand>();
  for (const command of commands) {
    const [first = '', second] = command.path;
    if (second === undefined) {
      addCommand(program, first, command, surroundings);
      continue;
    }
    let group = groups.get(first);
    if (group === undefined) {
      group = configureParser(program.command(first), surroundings).description(aboutGroup(first));
      groups.set(first, group);
    }
    addBelow(group, command, surroundings);
  }
  return program;
}

/** `effect events list` has a word more. */
function addBelow(group: CommanderCommand, command: CliCommand, surroundings: Surroundings): void {
  const [, second = '', third] = command.path;
  if (third === undefined) {
    addCommand(group, second, command, surroundings);
    return;
  }
  const found = group.commands.find((one) => one.name() === second);
  const below = found ?? configureParser(group.command(second), surroundings).description(aboutGroup(second));
  addCommand(below, third, command, surroundings);
}

function configureParser(parser: CommanderCommand, { stdout, stderr, env }: Surroundings): CommanderCommand {
  return parser
    .exitOverride((error) => {
      throw HELP_CODES.includes(error.code) ? error : wrongCall(error, parser);
    })
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // What is wrong is told like every other failure.
      outputError: () => {},
      getOutHasColors: () => stdout.isTTY === true && !env.NO_COLOR,
      getErrHasColors: () => stderr.isTTY === true && !env.NO_COLOR,
    });
}

/** What the parser throws when it has written all there is to say. */
const HELP_CODES = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

/** What the parser says is wrong, with the name that may have been meant. */
function wrongCall({ message }: CommanderError, parser: CommanderCommand): Failure {
  const [first = '', hint = ''] = message.replace(/^error: /, '').split('\n');
  const [, meant] = /^\(Did you mean (?:one of )?(.+)\?\)$/.exec(hint) ?? [];
  const help = `ee \`${nameOf(parser)} --help\``;
  const detail = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`;
  return usage(detail, meant === undefined ? `s${help}` : `did you mean ${meant}? S${help}`);
}

function addCommand(parent: CommanderCommand, name: string, command: CliCommand, surroundings: Surroundings): void {
  const parser = configureParser(parent.command(name), surroundings).summary(command.summary);
  parser.description(`${command.summary}.${command.about === undefined ? '' : `\n\n${command.about}`}`);
  for (const { name, about, isOptional, ask, choices } of command.arguments ?? []) {
    const isLoose = isOptional === true || ask !== undefined;
    const argument = new CommanderArgument(isLoose ? `[${name}]` : `<${name}>`, about);
    parser.addArgument(choices === undefined ? argument : argument.choices([...choices]));
  }
  for (const given of optionsOf(command)) {
    const about = given.env === undefined ? given.about : `${given.about} (${given.env})`;
    const option = new CommanderOption(given.flags, about);
    if (given.choices !== undefined) option.choices([...given.choices]);
    if (given.default !== undefined) option.default(given.default);
    parser.addOption(option);
    if (takesValue(given) && !option.variadic) refuseSecond(parser, option);
  }
  parser.addHelpText('after', helpBehind(command));
  parser.action(async () => {
    const { values, typed } = commandValues(parser, command, surroundings);
    const output = new Output(surroundings, values.json === true);
    await command.run(new Invocation(command, values, output, surroundings, typed));
  });
}

/** Has a call with two values for one option refused: the parser would leave out the first, and something else be signed than was meant. */
function refuseSecond(parser: CommanderCommand, option: CommanderOption): void {
  let isGiven = false;
  parser.on(`option:${option.name()}`, () => {
    if (isGiven) throw usage(`${option.long} is given twice.`, `it takes one value: see \`${nameOf(parser)} --help\``);
    isGiven = true;
  });
}

/** Its words, with those of the groups that it is in. */
function nameOf(parser: CommanderCommand): string {
  const words: string[] = [];
  for (let one: CommanderCommand | null = parser; one !== null; one = one.parent) words.unshift(one.name());
  return words.join(' ');
}

/** The values of a call by the names that the command gave them, and which of its options are on the command line. */
function commandValues(
  parser: CommanderCommand,
  command: CliCommand,
  { env }: Surroundings,
): { readonly values: Values; readonly typed: ReadonlySet<string> } {
  const values: Record<string, Values[string]> = {};
  const typed = new Set<string>();
  for (const [index, { name }] of (command.arguments ?? []).entries()) values[name] = parser.processedArgs[index];
  const options = parser.opts<Values>();
  for (const option of optionsOf(command)) {
    const name = optionName(option);
    const camel = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const fromEnv = option.env === undefined ? undefined : env[option.env] || undefined;
    if (parser.getOptionValueSource(camel) === 'cli') typed.add(name);
    values[name] = typed.has(name) ? options[camel] : (fromEnv ?? options[camel]);
  }
  return { values, typed };
}

function codes(): string {
  return Object.entries(EXIT)
    .map(([name, { code }]) => `${code} ${name}`)
    .join(', ');
}
