import { once } from 'node:events';
import { createServer } from 'node:http';

/** What runs in a cluster, as Kubernetes tells Helm. */
interface Running {
  readonly image: string;
  readonly replicas: number;
}

/** The kinds that it knows, by their groups and versions. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  v1: ['Pod', 'Service', 'ServiceAccount'],
  'apps/v1': ['Deployment', 'StatefulSet'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'batch/v1': ['Job'],
  'gateway.networking.k8s.io/v1': ['HTTPRoute'],
  'monitoring.coreos.com/v1': ['ServiceMonitor'],
  'networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
  'policy/v1': ['PodDisruptionBudget'],
};

const groups = Object.keys(KINDS).flatMap((groupVersion) => {
  const [name = '', version] = groupVersion.split('/');
  const one = { groupVersion, version };
  return version === undefined ? [] : [{ name, versions: [one], preferredVersion: one }];
});

function resourcesOf(groupVersion: string, kinds: readonly string[]): object {
  const resources = kinds.map((kind) => {
    const singularName = kind.toLowerCase();
    const name =
      singularName.endsWith('s') || singularName.endsWith('y') ? singularName.replace(/y$/, 'ie') : singularName;
    return { name: `${name}s`, singularName, namespaced: true, kind, verbs: ['get'] };
  });
  return { kind: 'APIResourceList', groupVersion, resources };
}

/** Answers of a Kubernetes in which nothing but one StatefulSet runs, as far as a chart looks things up in it. */
function answersOf({ image, replicas }: Running): Readonly<Record<string, object>> {
  const lists = Object.entries(KINDS).map(([groupVersion, kinds]) => [
    `/${groupVersion === 'v1' ? 'api' : 'apis'}/${groupVersion}`,
    resourcesOf(groupVersion, kinds),
  ]);
  return {
    '/version': { major: '1', minor: '33', gitVersion: 'v1.33.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', groups },
    ...Object.fromEntries(lists),
    '/apis/apps/v1/namespaces/default/statefulsets/ledger-countersign': {
      kind: 'StatefulSet',
      apiVersion: 'apps/v1',
      metadata: {
        ...{ name: 'ledger-countersign', namespace: 'default' },
        labels: { 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: { 'meta.helm.sh/release-name': 'ledger', 'meta.helm.sh/release-namespace': 'default' },
      },
      spec: { replicas, template: { spec: { containers: [{ image }] } } },
      status: { replicas },
    },
  };
}

const NOT_FOUND = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };

/** Does something while such a Kubernetes answers at `url`. */
export async function withCluster<T>(running: Running, work: (url: string) => Promise<T>): Promise<T> {
  const answers = answersOf(running);
  const server = createServer((request, answer) => {
    const found = answers[new URL(request.url ?? '/', 'http://cluster').pathname];
    answer.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(found ?? NOT_FOUND));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
