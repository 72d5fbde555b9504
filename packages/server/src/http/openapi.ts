import type { Kind } from '../kinds/kind.js';
import { kinds } from '../kinds/registry.js';
import type { HttpService } from './http-service.js';
import { INTERFACE } from './information.js';
import { components } from './openapi/components.js';
import { withExamples } from './openapi/examples.js';
import { describeInterface } from './openapi/guide.js';
import { guideOfKind, guidesUrl } from './openapi/guides.js';
import { describeLogRoutes } from './openapi/log-routes.js';
import { describeServerRoutes, ledgerCollection } from './openapi/other-routes.js';
import { recordPaths } from './openapi/record-routes.js';
import { tokenEndpoint } from './openapi/token-route.js';
import { describeWebhooks, WEBHOOK_TAGS } from './openapi/webhooks.js';

/**
 * The OpenAPI 3.1 description of the interface, made from the registry of kinds and from the schemas that requests are
 * checked with, so that it matches the server.
 */
export function openApi(service: HttpService): object {
  const { publicUrl, build, defaultLedger } = service;
  const root = publicUrl.replace(/\/v2$/, '') || '/';
  const guides = guidesUrl(publicUrl);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: INTERFACE,
      description: describeInterface(INTERFACE, build),
      contact: { name: 'The operator of this server', url: root },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    // Tokens are optional: rules may admit signed writes and public reads by themselves.
    security: [{}, { bearer: [] }],
    tags: [
      ...kinds.map((kind) => ({
        name: kind.title,
        externalDocs: { description: 'Guide', url: `${guides}/${guideOfKind(kind)}` },
        description: describeTag(kind),
      })),
      { name: 'Log', description: 'The log of a ledger, for clients of C2SP tlog-tiles.' },
      { name: 'Server', description: 'About the server itself, outside every ledger.' },
      ...WEBHOOK_TAGS,
    ],
    paths: withExamples({
      ...describeServerRoutes(publicUrl),
      ...tokenEndpoint(defaultLedger !== undefined),
      ...ledgerCollection(),
      ...recordPaths(guides),
      ...describeLogRoutes(publicUrl),
    }),
    webhooks: describeWebhooks(),
    components: components(defaultLedger !== undefined),
  };
}

function describeTag({ about, prefix, lifecycle: { signals } }: Kind): string {
  const raised = signals.length === 0 ? 'No signals.' : `Signals: \`${signals.join('`, `')}\`.`;
  return `${about} Luids begin with \`$${prefix}.\`. ${raised}`;
}
