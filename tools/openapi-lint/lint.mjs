// Prints what Redocly's recommended rules find in the OpenAPI document that comes on standard input, as JSON.
import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';

// By default examples may have no member that one branch of `allOf` leaves out, even where another names it.
const examples = { severity: 'error', allowAdditionalProperties: true };
const config = await createConfig({
  extends: ['recommended'],
  rules: { 'no-invalid-media-type-examples': examples },
});
const found = await lintFromString({ source: await text(process.stdin), config, absoluteRef: '/openapi.json' });
const faults = found.map(({ ruleId, message, location: [place] }) => ({ rule: ruleId, message, at: place?.pointer }));
process.stdout.write(JSON.stringify(faults));
