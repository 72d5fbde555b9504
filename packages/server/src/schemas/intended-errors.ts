import { isObject, type JsonObject } from '@countersign/protocol';
import type { ValidationError } from '@countersign/safe-json-schema';

/** What the detail of a refusal tells of an error. */
export interface ToldError {
  readonly instancePath: string;
  readonly message: string;
  readonly params?: JsonObject;
}

/**
 * The errors that the detail of a refusal tells. Of alternatives that are told apart by their `action`, as those of a claim are, it
 * tells what is wrong with the one that was meant; the list of errors has all of them (interface/intents#claims).
 *
 * @param errors in the words of the interface
 * @param schema by which the body was checked
 */
export function tellIntended(errors: readonly ValidationError[], schema: object, body: unknown): readonly ToldError[] {
  return errors
    .filter(({ keyword }) => keyword === 'oneOf')
    .reduce<readonly ToldError[]>((told, choice) => {
      const { instancePath, schemaPath } = choice;
      const value = valueAtPointer(body, instancePath);
      const actions = actionsOfAlternatives(valueAtPointer(schema, schemaPath.slice(1)));
      if (!actions || !isObject(value)) return told;
      const meant = actions.indexOf(value.action as string);
      const isOfMeant = (one: ToldError) => isErrorBelow(one, `${schemaPath}/${meant}/`);
      const others = told.filter((one) => one !== choice && !(isErrorBelow(one, `${schemaPath}/`) && !isOfMeant(one)));
      return meant < 0 ? [...others, unknownAction(instancePath, value, actions)] : others;
    }, errors);
}

function isErrorBelow(error: ToldError, path: string): boolean {
  return (error as Partial<ValidationError>).schemaPath?.startsWith(path) ?? false;
}

function unknownAction(instancePath: string, { action }: JsonObject, actions: readonly string[]): ToldError {
  if (action === undefined) return { instancePath, message: "must have required property 'action'" };
  const message = `must be equal to one of the allowed values: ${actions.join(', ')}`;
  return { instancePath: `${instancePath}/action`, message };
}

/** The one action of each alternative; undefined unless each has one. */
function actionsOfAlternatives(alternatives: unknown): readonly string[] | undefined {
  if (!Array.isArray(alternatives)) return undefined;
  const actions = alternatives.map((one) => valueAtPointer(one, '/properties/action/enum'));
  const isOne = (one: unknown): one is [string] => Array.isArray(one) && one.length === 1;
  return actions.every(isOne) ? actions.map(([action]) => action) : undefined;
}

/** What a JSON pointer without escapes leads to. */
function valueAtPointer(from: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, step)
          ? (value as Record<string, unknown>)[step]
          : undefined,
      from,
    );
}
