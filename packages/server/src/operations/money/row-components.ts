import type { Operation } from '../operation.js';

type Answers = NonNullable<NonNullable<Operation['description']['components']>['answers']>;

/** A reference to an OpenAPI component. */
export function component(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The OpenAPI component of a signed page of rows: `<row>-list`. */
export function describeRows(row: string): Answers {
  return {
    [`${row}-list`]: {
      type: 'object',
      required: ['hash', 'meta', 'data', 'page'],
      properties: {
        hash: component('hash'),
        meta: component('answer-meta'),
        data: { type: 'array', items: component(row) },
        page: component('counted-page'),
      },
    },
  };
}
