import { join } from 'node:path';
import { readJson } from '@countersign/protocol';
import { parse } from 'yaml';
import { read, root } from '../support/documents.js';

/** The chart, by its path in the repository. */
export const CHART = 'deploy/helm/countersign';
export const CHART_FOLDER = join(root, CHART);

/** Values that the chart is tested with. */
export const CASES = ['deployment', 'full'] as const;
export const caseFile = (name: string) => join(CHART_FOLDER, `ci/${name}-values.yaml`);

/** A schema of a value, as far as the chart uses it. */
export interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

export const valuesSchema = () => readJson(read(`${CHART}/values.schema.json`)) as ValueSchema;

type Values = Readonly<Record<string, unknown>>;

export const defaults = () => parse(read(`${CHART}/values.yaml`)) as Values;

/** The values of a file over the defaults, as Helm lays them. */
export function valuesOf(name: string): Values {
  return over(defaults(), parse(read(`${CHART}/ci/${name}-values.yaml`)) as Values);
}

function over(below: Values, above: Values): Values {
  const merged = Object.entries(above).map(([name, value]) => {
    const under = below[name];
    return [name, isValues(under) && isValues(value) ? over(under, value) : value];
  });
  return { ...below, ...Object.fromEntries(merged) };
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The values that can be set: path, default and meaning. Settings of the server are one. */
export function leaves(
  schema: ValueSchema,
  values: unknown,
  path = '',
): { path: string; value: unknown; meaning: string }[] {
  const { properties, description = '' } = schema;
  if (properties === undefined || path === 'settings') return [{ path, value: values, meaning: description }];
  return Object.entries(properties).flatMap(([name, one]) => {
    const below = (values as Values | undefined)?.[name];
    return name === 'global' ? [] : leaves(one, below, path === '' ? name : `${path}.${name}`);
  });
}

/** The values as a table in Markdown. */
export function renderValues(): string {
  const rows = leaves(valuesSchema(), defaults()).map(({ path, value, meaning }) => {
    const shown = value === '' ? '' : `\`${JSON.stringify(value).replaceAll(/^"|"$/g, '')}\``;
    return `| \`${path}\` | ${shown} | ${meaning} |`;
  });
  return ['| Value | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
}
