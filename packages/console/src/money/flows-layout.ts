import type { Flow } from './flows.js';

/** Wallets that are drawn on a side; the others are one. */
const SIDE_DRAWN = 9;

/** Pixels between two wallets, and those that one has at least. */
const GAP = 14;
const LEAST = 3;

/** A wallet on one side of the picture. */
export interface FlowNode {
  /** Of the wallet; undefined for what is outside: issued or destroyed. */
  readonly wallet: string | undefined;
  /** How many wallets it stands for, where it is the others. */
  readonly others: number;
  readonly amount: bigint;
  readonly top: number;
  readonly height: number;
}

/** What goes from one side to the other: where it begins and ends, and how thick it is. */
export interface FlowBand {
  readonly from: FlowNode;
  readonly to: FlowNode;
  readonly amount: bigint;
  readonly startTop: number;
  readonly endTop: number;
  readonly thickness: number;
}

export interface FlowsLayout {
  readonly payers: readonly FlowNode[];
  readonly payees: readonly FlowNode[];
  readonly bands: readonly FlowBand[];
  readonly height: number;
}

/** Payers on the left, payees on the right, each as tall as what it paid or got. Pixels are rounded, amounts are not. */
export function layOut(flows: readonly Flow[], total: bigint, height: number): FlowsLayout {
  const perUnit = (amount: bigint) => (Number(amount) / Number(total)) * height;
  const payers = stack(flows, ({ from }) => from, perUnit);
  const payees = stack(flows, ({ to }) => to, perUnit);
  const joined = new Map<string, { from: Stacked; to: Stacked; amount: bigint }>();
  for (const flow of flows) {
    const from = payers.nodeOf(flow.from);
    const to = payees.nodeOf(flow.to);
    const name = `${payers.nodes.indexOf(from)} ${payees.nodes.indexOf(to)}`;
    const band = joined.get(name) ?? { from, to, amount: 0n };
    joined.set(name, { ...band, amount: band.amount + flow.amount });
  }
  const bands = [...joined.values()]
    .sort((a, b) => a.from.top - b.from.top || a.to.top - b.to.top)
    .map(({ from, to, amount }) => {
      const thickness = perUnit(amount);
      const band = { from, to, amount, startTop: from.used, endTop: to.used, thickness: Math.max(1, thickness) };
      from.used += thickness;
      to.used += thickness;
      return band;
    });
  return { payers: payers.nodes, payees: payees.nodes, bands, height: Math.max(payers.height, payees.height) };
}

interface Stacked extends FlowNode {
  /** Where the next band begins. */
  used: number;
}

function stack(
  flows: readonly Flow[],
  sideOf: (flow: Flow) => string | undefined,
  perUnit: (amount: bigint) => number,
): { nodes: Stacked[]; height: number; nodeOf(wallet: string | undefined): Stacked } {
  const sums = new Map<string | undefined, bigint>();
  for (const flow of flows) sums.set(sideOf(flow), (sums.get(sideOf(flow)) ?? 0n) + flow.amount);
  const sorted = [...sums].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
  const [shown, rest] =
    sorted.length <= SIDE_DRAWN ? [sorted, []] : [sorted.slice(0, SIDE_DRAWN - 1), sorted.slice(SIDE_DRAWN - 1)];
  const nodes: Stacked[] = [];
  let top = 0;
  const add = (wallet: string | undefined, others: number, amount: bigint) => {
    const height = Math.max(LEAST, perUnit(amount));
    nodes.push({ wallet, others, amount, top, height, used: top });
    top += height + GAP;
  };
  for (const [wallet, amount] of shown) add(wallet, 0, amount);
  if (rest.length > 0)
    add(
      undefined,
      rest.length,
      rest.reduce((sum, [, amount]) => sum + amount, 0n),
    );
  const nodeOf = (wallet: string | undefined) => {
    const at = shown.findIndex(([one]) => one === wallet);
    return nodes[at < 0 ? nodes.length - 1 : at] as Stacked;
  };
  return { nodes, height: top - GAP, nodeOf };
}
