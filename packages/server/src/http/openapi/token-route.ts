import { requestLimits } from '../request-limits.js';
import { jsonAnswer } from './record-routes.js';
import { object, oneOfTexts, textSchema } from './schemas.js';

/**
 * The token endpoint (interface/tokens#token-endpoint): it follows RFC 6749, so its answers and errors are unsigned.
 *
 * @param hasDefault whether requests may leave the ledger unnamed
 */
export function tokenEndpoint(hasDefault: boolean): Record<string, object> {
  const refused = (description: string, ...errors: string[]) =>
    jsonAnswer(description, object({ error: oneOfTexts(errors), error_description: textSchema }));
  return {
    '/oauth/token': {
      post: {
        operationId: 'createToken',
        summary: "Exchange a client's credentials for an access token",
        description: `RFC 6749 §4.4. The credentials come by Basic authentication or in the form, of at most ${requestLimits.form} bytes.`,
        tags: ['Server'],
        security: [{}, { client: [] }],
        parameters: [
          { name: 'x-ledger', in: 'header', required: !hasDefault, schema: textSchema, description: 'Handle or luid.' },
        ],
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['grant_type'],
                properties: {
                  grant_type: { ...textSchema, const: 'client_credentials' },
                  client_id: textSchema,
                  client_secret: textSchema,
                },
              },
            },
          },
        },
        responses: {
          200: jsonAnswer('The token.', {
            type: 'object',
            required: ['access_token', 'token_type', 'expires_in'],
            properties: {
              access_token: textSchema,
              token_type: { ...textSchema, const: 'Bearer' },
              expires_in: { type: 'integer', minimum: 1, description: 'Seconds.' },
            },
          }),
          400: refused('Not granted.', 'invalid_request', 'unsupported_grant_type', 'invalid_grant'),
          401: refused('Unknown client, wrong secret, or a client out of use.', 'invalid_client'),
          429: refused('Too many wrong secrets: `retry-after` tells the seconds to wait.', 'invalid_client'),
          500: refused('For example: the provider has no usable private key.', 'server_error'),
          503: refused('The service is not available at the moment.', 'server_error'),
        },
      },
    },
  };
}
