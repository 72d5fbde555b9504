import { type ComponentsOfAnswers, component } from '../operation.js';

/** The OpenAPI component of a signed page of rows: `<row>-list`. */
export function describeRows(row: string): ComponentsOfAnswers {
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
