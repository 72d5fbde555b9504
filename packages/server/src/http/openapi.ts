import { kinds } from '../kinds/registry.js';
import type { HttpService } from './http-service.js';
import { INTERFACE } from './information.js';
import { components } from './openapi/components.js';
import { describeWebhooks } from './openapi/deliveries.js';
import { describeServerRoutes, journal, ledgerCollection } from './openapi/other-routes.js';
import { recordPaths } from './openapi/record-routes.js';
import { tokenEndpoint } from './openapi/token-route.js';

/**
 * The OpenAPI 3.1 description of the interface, made from the registry of kinds and from the schemas that requests are
 * checked with, so that it matches the server.
 */
export function openApi(service: HttpService): object {
  const { publicUrl, build, defaultLedger } = service;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: INTERFACE,
      description: `A self-hosted ledger of signed records. This is release ${INTERFACE} of the interface, served by build ${build}.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    // Tokens are optional: rules may admit signed writes and public reads by themselves.
    security: [{}, { bearer: [] }],
    tags: [
      ...kinds.map(({ title, prefix, lifecycle: { signals } }) => ({
        name: title,
        description: `Luids begin with \`$${prefix}.\`. ${signals.length === 0 ? 'No signals.' : `Signals: ${signals.join(', ')}.`}`,
      })),
      { name: 'Journal', description: 'Of requests, which this release does not keep.' },
      { name: 'Server', description: 'About the server itself, outside every ledger.' },
    ],
    paths: {
      ...describeServerRoutes(publicUrl),
      ...tokenEndpoint(defaultLedger !== undefined),
      ...ledgerCollection(),
      ...recordPaths(),
      ...journal(),
    },
    webhooks: describeWebhooks(),
    components: components(defaultLedger !== undefined),
  };
}
