import { table } from '../table.mjs';

const TITLES = {
  'create-many': 'signed create',
  'read-many': 'read by handle',
  'list-many': 'list page of 20',
  'transfer-many': 'transfer, until it is completed',
};

/** Figures of all sides, and how many times the processor time of the first the others take. */
export function report(sides, figures) {
  return sides
    .map(({ name, nodes }, side) => {
      const rows = Object.entries(figures).map(([shape, of]) => {
        const one = of[side];
        return [
          TITLES[shape],
          one.perSecond.toFixed(0),
          one.p50.toFixed(1),
          one.p99.toFixed(1),
          one.server.toFixed(0),
          ...one.nodes.map((time) => time.toFixed(0)),
          sumOf(one).toFixed(0),
          (sumOf(one) / sumOf(of[0])).toFixed(2),
        ];
      });
      const times = ['server', ...nodes.map((node) => node.name), 'together'].map((of) => `${of} µs`);
      return table([name, 'requests/s', 'p50 ms', 'p99 ms', ...times, 'of the first'], rows);
    })
    .join('\n\n');
}

/** Nodes of the model, the coordinator among them. */
const NODES = [3, 10, 50];

/**
 * What so many nodes carry by these figures, by processor of each node: all requests are sent through the coordinator, and each is worked on by one
 * worker. It leaves out the time of Countersign's own servers, and what grows with the nodes: connections, plans of each shard, writes of tables that all nodes have.
 *
 * @param cluster a side with a coordinator and workers
 */
export function model(cluster, figures) {
  const rows = Object.entries(figures).map(([shape, of]) => {
    const [coordinator, ...workers] = of[cluster].nodes;
    const worker = workers.reduce((sum, time) => sum + time, 0);
    const carried = (nodes) => Math.min(1e6 / coordinator, ((nodes - 1) * 1e6) / worker);
    return [TITLES[shape], ...NODES.map((nodes) => carried(nodes).toFixed(0)), (worker / coordinator).toFixed(1)];
  });
  const headings = NODES.map((nodes) => `${nodes} nodes`);
  return table(
    ['requests/s for each processor of a node', ...headings, 'workers until the coordinator is the bound'],
    rows,
  );
}

/** Microseconds of processor time of a request. */
function sumOf({ server, nodes }) {
  return server + nodes.reduce((sum, time) => sum + time, 0);
}
