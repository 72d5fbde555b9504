/** What the program is asked to do. */
export type ServerTask = 'serve' | 'check' | 'migrate' | 'help' | 'version';

const TASKS: Readonly<Record<string, ServerTask>> = {
  '--check': 'check',
  '--migrate': 'migrate',
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
};

/** @throws Error in one line for anything else than one option or none */
export function parseCommandLine(args: readonly string[]): ServerTask {
  const [first, second] = args;
  if (first === undefined) return 'serve';
  const task = Object.hasOwn(TASKS, first) ? TASKS[first] : undefined;
  if (task === undefined) throw new Error(`there is no option ${first}: countersign-server --help lists them`);
  if (second !== undefined) throw new Error(`${first} stands alone: ${second} has no meaning beside it`);
  return task;
}
