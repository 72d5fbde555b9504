import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer, type TestServerOptions } from '../support/server.js';
import { ExampleProcess } from './example-process.js';
import { Gateway } from './gateway.js';

/** A window that holds all that a test makes. */
export const WINDOW: JsonObject = {
  start_timestamp: new Date(Date.now() - 86_400_000).toISOString(),
  end_timestamp: new Date(Date.now() + 86_400_000).toISOString(),
};

/** The example of a reporter, as a process of its own. */
export class ReporterProcess extends ExampleProcess {
  constructor(settings: Record<string, string>) {
    super('examples/reporter/reporter.mjs', settings);
  }

  /** Its public key. */
  get key(): string {
    return / as (\S+)$/m.exec(this.out)?.[1] ?? '';
  }

  /** Posts a delivery. @returns the status of the answer */
  async send(body: string, path = '/effects/reports'): Promise<number> {
    const response = await fetch(this.url + path, { method: 'POST', body });
    await response.text();
    return response.status;
  }
}

/** A server that serves files, a gateway before it, and reporters, for all tests of a file. */
export class ReporterScene {
  server!: RunningServer;
  gateway!: Gateway;
  gatewayUrl = '';
  folder = '';
  client!: TestClient;
  readonly reporters: ReporterProcess[] = [];

  get assets(): string {
    return join(this.folder, 'assets');
  }

  /** Starts a reporter; one after another has the same key and jobs. */
  async start(settings: Record<string, string> = {}): Promise<ReporterProcess> {
    const ledger = { LEDGER_URL: this.gatewayUrl, LEDGER: this.client.ledger ?? '', REPORT_ASSETS_DIR: this.assets };
    const reporter = new ReporterProcess({ ...ledger, STATE: join(this.folder, 'state'), RETRY: '20', ...settings });
    this.reporters.push(reporter);
    await reporter.listens(/^reporting on (\S+) as /m);
    return reporter;
  }

  /** Has the ledger deliver reports to a reporter, by a bridge. */
  async subscribe({ url }: { readonly url: string }, handle = 'reports', client = this.client): Promise<void> {
    await stored(client, 'bridge', {
      handle,
      schema: 'rest',
      config: { server: url },
      secure: [],
      traits: ['effects'],
    });
    await stored(client, 'effect', { handle, signal: 'report-created', action: { bridge: handle } });
  }

  /** A ledger with a schema for reports, and a reporter that is told of them. */
  async subscribed(settings: Record<string, string> = {}): Promise<ReporterProcess> {
    const reporter = await this.start(settings);
    await this.subscribe(reporter);
    return reporter;
  }

  create(custom: JsonObject = WINDOW, handle = 'r'): Promise<RecordEnvelope> {
    return stored(this.client, 'report', { handle, schema: 'wallets', custom });
  }

  async newLedger(access: Json[] = OPEN): Promise<TestClient> {
    this.client = await newLedger(this.server.url, { access });
    await stored(this.client, 'schema', { handle: 'wallets', record: 'report', format: 'json-schema', schema: {} });
    return this.client;
  }

  /** The report as soon as it has the status. */
  reached(status: string, handle = 'r'): Promise<RecordEnvelope> {
    return eventually(async () => {
      const { body } = await this.client.get(`/reports/${encodeURIComponent(handle)}`);
      expect(body.meta.status).toBe(status);
      return body;
    });
  }

  /** Where the file of a report lies. */
  fileOf({ luid, data, meta }: RecordEnvelope): string {
    const domains = meta.domain === undefined ? [] : ['domains', meta.domain];
    const steps = ['ledgers', this.client.ledger!, ...domains, 'schemas', String(data.schema), 'reports', luid];
    return join(this.assets, ...steps, 'assets/wallets.csv');
  }

  hasFile(report: RecordEnvelope): boolean {
    return existsSync(this.fileOf(report));
  }

  /** Deliveries of the effect as the ledger lists them. */
  async deliveries(effect = 'reports'): Promise<{ meta: { status: string; output: JsonObject; replay: number } }[]> {
    return (await this.client.get(`/effects/${effect}/events`)).body.data;
  }

  /** The body that the ledger has sent, as soon as that was answered. */
  delivered(): Promise<string> {
    return eventually(async () => {
      const [delivery] = await this.deliveries();
      expect(delivery?.meta.status).toBe('delivered');
      return JSON.stringify(delivery!.meta.output);
    });
  }
}

/** The statuses that proofs have asked for, in order, with who signed. */
export function stepsOf({ meta }: RecordEnvelope): [status: unknown, key: string][] {
  return meta.proofs.map(({ custom, public: key }) => [custom?.status, key]);
}

/** A scene for all tests of a file, with a new ledger for each. */
export function withReporters(options: TestServerOptions = {}): ReporterScene {
  const scene = new ReporterScene();
  beforeAll(async () => {
    scene.folder = await mkdtemp(join(tmpdir(), 'countersign-reporter-'));
    scene.server = await startServer({ deliveryAllowPrivate: true, reportAssetsDir: scene.assets, ...options });
    scene.gateway = new Gateway(scene.server.url);
    scene.gatewayUrl = await scene.gateway.start();
  });
  beforeEach(async () => {
    scene.gateway.instead = undefined;
    scene.gateway.passed.length = 0;
    await scene.newLedger();
  });
  afterEach(async () => {
    for (const reporter of scene.reporters.splice(0)) await reporter.stop('SIGKILL');
    await rm(scene.folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    await scene.gateway.stop();
    await scene.server.stop();
  });
  return scene;
}
