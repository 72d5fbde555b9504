import { Validator } from '@seriousme/openapi-schema-validator';
import { REASONS } from '@countersign/protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { limits } from '../../src/limits.js';
import { examples, PUBLIC_KEY } from '../kinds/examples.js';
import { dropOf, newKey, newLedger, proofOver, signed, TestClient, updateOf } from '../support/client.js';
import { withServer } from '../support/server.js';
import { Description } from './description.js';

describe('GET /v2/openapi.json', () => {
  const server = withServer();
  let described: Description;
  beforeAll(async () => {
    described = await Description.of(server.current.url);
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(described.document));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('says which interface and server it describes', () => {
    const { info, servers, security } = described.document;
    expect(info).toMatchObject({ title: 'Countersign', version: '2.36.0' });
    expect(info.description).toContain('0.0.0');
    expect(servers).toEqual([{ url: server.current.url }]);
    expect(security).toEqual([{}, { bearer: [] }]);
  });
});
