import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findMisspelled } from '../../src/cluster/misspelled.js';
import { parseConfig } from '../../src/config.js';
import { runBeside } from '../support/program.js';
import { withServer } from '../support/server.js';
import { CASES, CHART_FOLDER, caseFile } from './chart.js';
import { withCluster } from './cluster.js';
import { requireTool, runTool } from './tools.js';

const helm = requireTool('helm', 'REQUIRE_HELM') ?? '';

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: { readonly httpGet: { readonly path: string } };
  readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe: { readonly httpGet: { readonly path: string } };
}

interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly securityContext: object;
  readonly containers: readonly [Container];
  readonly volumes?: readonly {
    readonly name: string;
    readonly projected?: { readonly sources: readonly { readonly secret: { readonly name: string } }[] };
  }[];
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

function render(name: string, set: readonly string[] = []) {
  const args = [
    'template',
    'ledger',
    CHART_FOLDER,
    '--values',
    caseFile(name),
    ...set.flatMap((one) => ['--set', one]),
  ];
  return runTool(helm, args);
}

function resourcesOf(name: string): Resource[] {
  const { status, out, err } = render(name);
  expect(status, err).toBe(0);
  return parseAllDocuments(out).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });
}

function find(resources: readonly Resource[], kind: string): Resource {
  const [one] = resources.filter((resource) => resource.kind === kind);
  if (one === undefined) throw new Error(`There is no ${kind}.`);
  return one;
}

/** The specification of the pods of a resource, or of one that is a pod. */
function podOf({ spec }: Resource): PodSpec {
  return ('containers' in spec ? spec : (spec as { template: { spec: unknown } }).template.spec) as PodSpec;
}

describe.runIf(helm)('the chart, by Helm', () => {
  it('is refused by name where a required value is missing', () => {
    const { status, err } = runTool(helm, ['template', 'ledger', CHART_FOLDER]);
    expect(status).not.toBe(0);
    for (const name of ['repository', 'publicUrl', 'databaseUrl', 'masterKey', 'SERVER_ACCESS_RULES']) {
      expect(err).toContain(name);
    }
  });

  it.each([
    ['metrics.serviceMonitor.enabled=true', 'needs networkPolicy.monitoring'],
    ['autoscaling.enabled=true,autoscaling.minReplicas=9', 'autoscaling.minReplicas is above'],
    ['httpRoute.enabled=true', 'parentRefs'],
  ])('is refused with %s', (set, why) => {
    const { status, err } = render('deployment', [set]);
    expect(status).not.toBe(0);
    expect(err).toContain(why);
  });

  it('says what is weak about a deployment', () => {
    const args = ['install', 'ledger', CHART_FOLDER, '--dry-run=client', '--values', caseFile('deployment')];
    const notes = runTool(helm, [...args, '--set', 'settings.LEDGER_QUOTA=off,networkPolicy.enabled=false']).out;
    for (const one of [
      'persistence is off',
      'LEDGER_QUOTA is off',
      'networkPolicy is off',
      'migrations.role is not set',
    ]) {
      expect(notes).toContain(`WARNING: ${one}`);
    }
    // Two pods and one more at a time, of two processes and one more each.
    expect(notes).toContain('max_connections of at least 135');
  });

  describe('in a cluster', () => {
    const EARLIER = 'registry.example/countersign:0.0.1';

    const upgrade = (running: { image: string; replicas: number }) =>
      withCluster(running, (url) => {
        const args = ['template', 'ledger', CHART_FOLDER, '--values', caseFile('full')];
        const asking = ['--dry-run=server', '--disable-openapi-validation', '--kube-apiserver', url];
        return runBeside(helm, [...args, ...asking], {
          KUBECONFIG: '/dev/null',
        });
      });
    const replicas = (out: string) => /^ {2}replicas: (\d+)$/m.exec(out)?.[1];

    it('starts as many pods as an autoscaler keeps where nothing serves', async () => {
      const { status, out, err } = await upgrade({ image: EARLIER, replicas: 0 });
      expect(status, err).toBe(0);
      expect(replicas(out)).toBe('2');
    });

    it('leaves the number of pods to the autoscaler while they serve, whatever their image', async () => {
      const { status, out, err } = await upgrade({ image: EARLIER, replicas: 3 });
      expect(status, err).toBe(0);
      expect(replicas(out)).toBeUndefined();
    });
  });

  describe.each(CASES)('with the values %s', (name) => {
    const server = withServer();
    let resources: Resource[];
    let home: string;
    beforeAll(() => {
      home = mkdtempSync(join(tmpdir(), 'countersign-chart-'));
      resources = resourcesOf(name);
    });
    afterAll(() => rmSync(home, { recursive: true, force: true }));

    const workload = () => find(resources, name === 'full' ? 'StatefulSet' : 'Deployment');
    const pods = () => resources.filter(({ kind }) => /^(StatefulSet|Deployment|Job|Pod)$/.test(kind));

    it('passes the linter', () => {
      const { status, out, err } = runTool(helm, ['lint', '--strict', CHART_FOLDER, '--values', caseFile(name)]);
      expect([status, err], out).toEqual([0, expect.not.stringContaining('WARNING')]);
    });

    it('makes what it is to make, each with a name of its own', () => {
      const always = ['Job', 'NetworkPolicy', 'Pod', 'PodDisruptionBudget', 'Service', 'Service', 'ServiceAccount'];
      const more =
        name === 'full'
          ? ['HTTPRoute', 'HorizontalPodAutoscaler', 'Ingress', 'ServiceMonitor', 'StatefulSet']
          : ['Deployment'];
      expect(resources.map(({ kind }) => kind).sort()).toEqual([...always, ...more].sort());
      const names = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
    });

    it('gives no pod a right that it does not need', () => {
      expect(pods()).toHaveLength(3);
      for (const pod of pods().map(podOf)) {
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 10_001,
            seccompProfile: { type: 'RuntimeDefault' },
          },
        });
        const [container] = pod.containers;
        expect(pod.containers).toHaveLength(1);
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({
          requests: { memory: expect.anything() },
          limits: { memory: expect.anything() },
        });
        const volumes = [...(pod.volumes ?? []).map((volume) => volume.name), ...(name === 'full' ? ['data'] : [])];
        for (const mount of container.volumeMounts ?? []) expect(volumes).toContain(mount.name);
      }
    });

    it('sets the server as its settings ask', () => {
      const [container] = podOf(workload()).containers;
      const env = Object.fromEntries((container.env ?? []).map((one) => [one.name, one.value]));
      expect(findMisspelled(env)).toEqual([]);
      // The files that it names are where the secrets are mounted.
      const mounts = (container.volumeMounts ?? []).map(({ mountPath }) => mountPath);
      for (const name of ['DATABASE_URL_FILE', 'MASTER_KEY_FILE']) {
        expect(mounts).toContain(env[name]?.replace(/\/[^/]*$/, ''));
        const text = name === 'MASTER_KEY_FILE' ? Buffer.alloc(32).toString('base64') : 'postgresql://a:b@c/d';
        writeFileSync(join(home, name), text);
        env[name] = join(home, name);
      }
      expect(mounts).toContain(env.DATA_DIR);
      const { WITNESSES: _, ...others } = env;
      const config = parseConfig(others);
      const ports = Object.fromEntries((container.ports ?? []).map((port) => [port.name, port.containerPort]));
      expect(ports).toEqual({ http: config.port, metrics: config.metricsPort });
      expect(config.publicUrl).toMatch(/^https:\/\/ledger\.example(:8443)?\/v2$/);
    });

    it('probes what the server answers, and tests it', async () => {
      const [container] = podOf(workload()).containers;
      const origin = new URL(server.current.url).origin;
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        expect((await fetch(origin + probe.httpGet.path)).status).toBe(200);
      }
      const [program = '', ...args] = podOf(find(resources, 'Pod')).containers[0].args ?? [];
      expect(program).toBe('node');
      const ask = (SERVER: string) => runBeside(process.execPath, args, { SERVER });
      const out = '/health/ready 200\n/v2 200\n/metrics 404\n';
      expect(await ask(origin)).toEqual({ status: 0, out, err: '' });
      // Something else answers there.
      expect((await ask(`${origin}/log`)).status).toBe(1);
    });

    it('migrates by a command that the server has, before anything else is made', () => {
      const job = find(resources, 'Job');
      expect(job.metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } });
      expect(podOf(job).containers[0].args).toEqual(['countersign-server', '--migrate']);
      const [server] = podOf(workload()).containers;
      const names = (container: Container) => (container.env ?? []).map((one) => one.name);
      const addresses = ['HOST', 'PORT', 'METRICS_HOST', 'METRICS_PORT'];
      const own = name === 'full' ? ['DATABASE_ROLE'] : [];
      expect(names(podOf(job).containers[0])).toEqual([
        ...names(server).filter((one) => !addresses.includes(one)),
        ...own,
      ]);
    });

    it('gives the password of the owner to what migrates, and to nothing else', () => {
      const secretOf = (resource: Resource) =>
        podOf(resource).volumes?.find((volume) => volume.name === 'secrets')?.projected?.sources[0]?.secret;
      const [job, server] = [find(resources, 'Job'), workload()].map(secretOf);
      const owner = name === 'full' ? 'countersign-owner' : 'countersign-database';
      expect([job?.name, server?.name]).toEqual([owner, 'countersign-database']);
      expect(JSON.stringify(workload())).not.toContain('countersign-owner');
      const role = podOf(find(resources, 'Job')).containers[0].env?.find((one) => one.name === 'DATABASE_ROLE');
      expect(role?.value).toBe(name === 'full' ? 'countersign' : undefined);
    });
  });
});
