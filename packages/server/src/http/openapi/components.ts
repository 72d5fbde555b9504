import { kindNamed, kinds } from '../../kinds/registry.js';
import { listLimits } from '../../lists/list-limits.js';
import { ANSWERS, answerComponents, ownAnswers } from './answers.js';
import { bridgeComponents } from './bridge-components.js';
import { deliveryComponents } from './deliveries.js';
import { eventComponents } from './events.js';
import { BEARER_DESCRIPTION } from './guide.js';
import { describeParts, partComponents } from './parts.js';
import { refusalComponents } from './reasons.js';
import { commonRequests, requestComponents } from './requests.js';
import { type Schema, textSchema, wholeNumber } from './schemas.js';

/**
 * The components of the document.
 *
 * @param hasDefault whether requests may leave the ledger unnamed (interface/ledgers#choosing-a-ledger)
 */
export function components(hasDefault: boolean): object {
  return {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: BEARER_DESCRIPTION,
      },
      client: { type: 'http', scheme: 'basic', description: 'Client id and secret, for the token endpoint.' },
    },
    parameters: parameters(hasDefault),
    responses: refusalComponents(),
    schemas: {
      ...ANSWERS,
      ...eventComponents(),
      ...deliveryComponents(),
      ...bridgeComponents(),
      ...partComponents(),
      ...ownAnswers(),
      ...describeParts(),
      ...commonRequests(kindNamed('wallet')),
      ...Object.assign({}, ...kinds.map((kind) => ({ ...requestComponents(kind), ...answerComponents(kind) }))),
    },
  };
}

function parameters(hasDefault: boolean): Record<string, object> {
  const page = (name: string, schema: Schema, description: string) => ({ name, in: 'query', schema, description });
  return {
    ledger: {
      name: 'x-ledger',
      in: 'header',
      required: !hasDefault,
      schema: textSchema,
      description: 'Handle or luid of the ledger.',
    },
    index: page('page.index', { ...wholeNumber(0), default: 0 }, 'Number of the page; also taken as `page[index]`.'),
    limit: page(
      'page.limit',
      { ...wholeNumber(1), default: listLimits.page.default },
      `Items of a page; also taken as \`page[limit]\`. More than ${listLimits.page.greatest} are served as ${listLimits.page.greatest}.`,
    ),
  };
}
