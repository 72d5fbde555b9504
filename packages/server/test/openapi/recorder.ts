import { isObject, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import type { Exchange } from '../../src/http/openapi/examples.js';
import type { Description } from '../http/description.js';
import { proofOver, type TestAnswer, TestClient, type TestKey } from '../support/client.js';

/** Keeps the first exchange of each operation that was answered without an error. */
export class Recorder {
  /** By `operationId`. */
  readonly kept = new Map<string, Exchange>();

  constructor(readonly described: Description) {}

  keep(method: string, path: string, request: unknown, { status, answer }: Omit<Exchange, 'request'>): void {
    const found = this.described.find(method.toLowerCase(), path.replace(/\?.*$/, ''));
    if (!found || status >= 300 || this.kept.has(found.operation.operationId)) return;
    this.kept.set(found.operation.operationId, {
      ...(request === undefined ? {} : { request }),
      status,
      ...(answer === undefined || answer === null ? {} : { answer }),
    });
  }
}

/** A client whose exchanges are kept. */
export class RecordedClient extends TestClient {
  constructor(
    readonly recorder: Recorder,
    url: string,
    key?: TestKey,
    ledger?: string,
  ) {
    super(url, key, ledger);
  }

  override in(ledger: string | undefined): RecordedClient {
    return new RecordedClient(this.recorder, this.url, this.key, ledger);
  }

  override async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> {
    const sent = this.#resigned(method, path, body);
    const answer = await super.call(method, path, sent, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    const said = answer.body ?? (answer.text === '' ? undefined : answer.text);
    this.recorder.keep(method, path, sent, { status: answer.status, answer: said });
    return answer;
  }

  override prove(path: string, record: RecordEnvelope, custom: JsonObject, at = '/proofs'): Promise<TestAnswer> {
    const saying = { ...custom, ...this.#scope('POST', path + at) };
    return this.call('POST', path + at, proofOver(record.hash, this.key, saying));
  }

  /** A signed body whose proof says for which ledger and kind it is, as clients should. */
  #resigned(method: string, path: string, body: unknown): unknown {
    if (!isObject(body) || !isObject(body.meta)) return body;
    const { hash, data, meta } = body as unknown as RecordEnvelope;
    const scope =
      this.ledger === undefined ? { ledger: String(data.handle), record: 'ledger' } : this.#scope(method, path);
    const proofs = meta.proofs.map(({ custom = {} }) => proofOver(hash, this.key, { ...custom, ...scope }));
    return { ...body, meta: { ...meta, proofs } };
  }

  #scope(method: string, path: string): JsonObject {
    const [tag = ''] = this.recorder.described.find(method.toLowerCase(), path)?.operation.tags ?? [];
    return { ledger: this.ledger ?? '', record: tag.toLowerCase().replace(' ', '-') };
  }
}
