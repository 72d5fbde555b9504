import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readJson } from '@countersign/protocol';
import { PACKAGE } from '../../base/package.js';
import type { Schema } from './schemas.js';

/** What was sent to an operation in a test, and what came back. */
export interface Exchange {
  /** The body of the request; absent where there is none. */
  readonly request?: unknown;
  readonly status: number;
  /** The body of the answer; absent where there is none. */
  readonly answer?: unknown;
}

/** Where the tests keep the exchanges: a file for each tag, which has them by `operationId`. */
export const EXAMPLES = new URL('openapi/examples/', PACKAGE);

/** Every exchange, by `operationId`; none where the sources were taken without them. */
export function readExamples(): Readonly<Record<string, Exchange>> {
  if (!existsSync(EXAMPLES)) return {};
  const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.json'));
  return Object.assign({}, ...files.map((name) => readJson(readFileSync(new URL(name, EXAMPLES), 'utf8'))));
}

type ExampleContent = Record<string, { readonly schema: Schema; example?: unknown }>;
interface ExampleOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: ExampleContent };
  readonly responses: Readonly<Record<string, { readonly content?: ExampleContent }>>;
}

/** Puts its exchange into each operation of `paths`. Operations without one are left as they are. */
export function withExamples(paths: object): object {
  const examples = readExamples();
  for (const item of Object.values(paths) as Record<string, ExampleOperation>[]) {
    for (const { operationId, requestBody, responses } of Object.values(item)) {
      const found = operationId === undefined ? undefined : examples[operationId];
      if (!found) continue;
      if (found.request !== undefined) put(requestBody?.content, found.request);
      if (found.answer !== undefined) put(responses[found.status]?.content, found.answer);
    }
  }
  return paths;
}

function put(content: ExampleContent | undefined, example: unknown): void {
  for (const media of Object.values(content ?? {})) media.example = example;
}
