import { settings } from '../config.js';

/** A variable of the environment that looks like a setting, and the setting that may be meant. */
export interface Misspelled {
  readonly name: string;
  readonly meant: string;
}

/** Shorter names are too near to what other programs are set by. */
const SHORTEST = 5;

/** The variables that differ from a setting by one letter, or by underscores and capitals. Nothing would read them. */
export function findMisspelled(env: Readonly<Record<string, string | undefined>>): Misspelled[] {
  const known = Object.values(settings).flatMap((one) =>
    'isSecret' in one ? [one.name, `${one.name}_FILE`] : [one.name],
  );
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || env[name] === '') return [];
    const bare = withoutMarks(name);
    const meant = known.find((one) => withoutMarks(one) === bare || isOneLetterAway(one, name));
    return meant === undefined || bare.length < SHORTEST ? [] : [{ name, meant }];
  });
}

function withoutMarks(name: string): string {
  return name.replaceAll(/[_-]/g, '').toUpperCase();
}

/** Whether one becomes the other by one letter more, less or changed. */
function isOneLetterAway(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  return short.slice(same + (short.length === long.length ? 1 : 0)) === long.slice(same + 1);
}
