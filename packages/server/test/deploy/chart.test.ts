import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '@countersign/protocol';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../src/config.js';
import { expectSection, read } from '../support/documents.js';
import { CASES, CHART, CHART_FOLDER, defaults, leaves, renderValues, valuesOf, valuesSchema } from './chart.js';

const schema = valuesSchema();
const validate = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

/** Where the values are wrong, and by which keyword of the schema. */
function faults(values: unknown): string[] {
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, keyword, params }) => {
    const missing = (params as { missingProperty?: string }).missingProperty;
    return `${instancePath}${missing === undefined ? '' : `/${missing}`} ${keyword}`;
  });
}

describe('the values of the chart', () => {
  it.each(CASES)('are valid: %s', (name) => expect(faults(valuesOf(name))).toEqual([]));

  it('are no values for a server until the required ones are set', () => {
    expect(faults(defaults()).sort()).toEqual([
      '/databaseUrl/existingSecret pattern',
      '/image/repository minLength',
      '/masterKey/existingSecret pattern',
      '/publicUrl pattern',
      '/settings/LEDGER_QUOTA required',
      '/settings/SERVER_ACCESS_RULES required',
    ]);
  });

  it('are refused where their names or kinds are wrong', () => {
    const values = valuesOf('deployment');
    const settings = values.settings as object;
    for (const [more, fault] of [
      [{ replicas: 3 }, ' additionalProperties'],
      [{ settings: { ...settings, WORKER: '2' } }, '/settings additionalProperties'],
      [{ settings: { ...settings, MASTER_KEY: 'text' } }, '/settings additionalProperties'],
      [{ settings: { ...settings, WORKERS: 2 } }, '/settings/WORKERS type'],
      [{ publicUrl: 'ledger.example/v2' }, '/publicUrl pattern'],
      [{ masterKey: { existingSecret: 'a secret', key: 'k' } }, '/masterKey/existingSecret pattern'],
      [{ httpRoute: { enabled: true, parentRefs: [] } }, '/httpRoute/parentRefs minItems'],
      [{ image: { repository: 'a', digest: 'sha256:abc' } }, '/image/digest pattern'],
      [{ migrations: { databaseUrl: { existingSecret: 'owner' }, role: '' } }, '/migrations/role minLength'],
      [{ migrations: { databaseUrl: { existingSecret: '' }, role: 'weaker' } }, '/migrations/role maxLength'],
    ] as const) {
      expect(faults({ ...values, ...more }), fault).toContain(fault);
    }
  });

  it('have every setting that has no value of its own, and no other', () => {
    const own =
      'PORT HOST METRICS_PORT METRICS_HOST DATA_DIR DATABASE_URL DATABASE_ROLE MASTER_KEY MASTER_KEY_NEXT PUBLIC_URL'.split(
        ' ',
      );
    const due = Object.values(settings).map(({ name }) => name);
    expect(Object.keys(schema.properties?.settings?.properties ?? {})).toEqual(due.filter((one) => !own.includes(one)));
    expect(due).toEqual(expect.arrayContaining(own));
  });

  it('have a default, each', () => {
    const unset = leaves(schema, defaults()).filter(({ value }) => value === undefined);
    expect(unset.map(({ path }) => path)).toEqual([]);
  });

  it('are told of in the README', () => expectSection(`${CHART}/README.md`, 'values', renderValues()));
});

describe('the chart', () => {
  it('has the version of the packages', () => {
    const { version } = readJson(read('package.json')) as { version: string };
    expect(parse(read(`${CHART}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
  });

  it('makes no secret', () => {
    for (const name of readdirSync(join(CHART_FOLDER, 'templates'), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(yaml|tpl)$/.test(name)) continue;
      expect(read(`${CHART}/templates/${name}`), name).not.toMatch(/kind: Secret|stringData|rand[A-Z]|genPrivateKey/);
    }
  });
});
