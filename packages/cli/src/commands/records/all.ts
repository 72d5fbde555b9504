import { DESCRIPTION, type KindDescription } from '@countersign/client/description';
import type { CliCommand } from '../../description/command.js';
import { assetCommand } from './asset.js';
import { checkCommand } from './check.js';
import { createCommand } from './create.js';
import { dropCommand } from './drop.js';
import { eraseRecordCommand } from './erase.js';
import { eventListCommand, eventRetryCommand, eventShowCommand } from './events.js';
import { historyCommand } from './history.js';
import { listCommand } from './list.js';
import { consistencyCommand, inclusionCommand, logCommand } from './log-commands.js';
import { addressLookupCommand, lookupCommand } from './lookup-commands.js';
import { requestListCommand, requestShowCommand } from './requests.js';
import { showCommand } from './show.js';
import { signCommand } from './sign.js';
import { updateCommand } from './update.js';

/** The command of each operation, by the name that the description of the interface gives it. */
export const BY_OPERATION: Readonly<Record<string, (kind: KindDescription) => CliCommand>> = {
  create: createCommand,
  list: listCommand,
  get: showCommand,
  update: updateCommand,
  sign: signCommand,
  drop: dropCommand,
  erase: eraseRecordCommand,
  history: historyCommand,
  inclusion: inclusionCommand,
  log: logCommand,
  consistency: consistencyCommand,
  check: checkCommand,
  events: eventListCommand,
  event: eventShowCommand,
  retry: eventRetryCommand,
  requests: requestListCommand,
  request: requestShowCommand,
  anchors: addressLookupCommand('anchors'),
  domains: addressLookupCommand('domains'),
  lookup: lookupCommand,
  asset: assetCommand,
};

/**
 * The commands of every kind, made from the description of the interface.
 *
 * @param others commands that stand in place of those made here
 */
export function recordCommands(others: readonly CliCommand[]): CliCommand[] {
  const taken = new Set(others.map(({ path }) => path.join(' ')));
  return DESCRIPTION.flatMap((kind) => {
    const made = kind.operations.flatMap(({ name }) => BY_OPERATION[name]?.(kind) ?? []);
    return made.filter(({ path }) => !taken.has(path.join(' ')));
  });
}
