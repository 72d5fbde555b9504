import './figures.css';
import { moneyText } from '../text/money.js';
import { isolated, visible } from '../ui/plain.js';
import { useWidth } from '../ui/width.js';
import type { WriteAmount } from './factors.js';
import type { Flows } from './flows.js';
import { type FlowBand, type FlowNode, layOut } from './flows-layout.js';

/** Pixels that all amounts together are tall. */
const FLOWS_HEIGHT = 260;
/** Pixels that a wallet is wide. */
const NODE = 8;

interface FlowsPictureProps {
  readonly found: Flows;
  readonly symbol: string;
  readonly write: WriteAmount;
}

/** Who paid on the left, who was paid on the right, and how much went where: the table below has the amounts. */
export function FlowsPicture({ found, symbol, write }: FlowsPictureProps) {
  const [ref, width] = useWidth();
  const { payers, payees, bands, height } = layOut(found.flows, found.total, FLOWS_HEIGHT);
  const letters = Math.max(6, Math.floor(width / 2 / 8) - 8);
  const side = { symbol, write, letters };
  return (
    <figure className="flows" ref={ref}>
      <svg width={width} height={height + 16} role="img" aria-label={moneyText.flowsTitle(symbol)}>
        <g transform="translate(0 8)">
          {bands.map((band, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: drawn anew with each answer
            <Band key={at} band={band} width={width} {...side} />
          ))}
          {payers.map((node) => (
            <Node key={node.top} node={node} x={0} outside={moneyText.issued} {...side} />
          ))}
          {payees.map((node) => (
            <Node key={node.top} node={node} x={width - NODE} outside={moneyText.destroyed} isRight {...side} />
          ))}
        </g>
      </svg>
    </figure>
  );
}

interface SideProps {
  readonly symbol: string;
  readonly write: WriteAmount;
  /** Letters of a name that fit. */
  readonly letters: number;
}

function Band({
  band,
  width,
  symbol,
  write,
  letters,
}: { readonly band: FlowBand; readonly width: number } & SideProps) {
  const { from, to, startTop, endTop, thickness, amount } = band;
  const [left, right, middle] = [NODE, width - NODE, width / 2];
  const start = startTop + thickness / 2;
  const end = endTop + thickness / 2;
  const names = [walletLabel(from, moneyText.issued, letters * 2), walletLabel(to, moneyText.destroyed, letters * 2)];
  return (
    <path
      className="band"
      d={`M${left} ${start}C${middle} ${start} ${middle} ${end} ${right} ${end}`}
      strokeWidth={thickness.toFixed(1)}
    >
      <title>{`${names.map(isolated).join(' → ')}: ${write(amount, symbol)} ${isolated(symbol.slice(0, 20))}`}</title>
    </path>
  );
}

interface NodeProps extends SideProps {
  readonly node: FlowNode;
  readonly x: number;
  readonly outside: string;
  readonly isRight?: boolean;
}

function Node({ node, x, outside, isRight = false, symbol, write, letters }: NodeProps) {
  const { top, height, wallet, others, amount } = node;
  const isOutside = wallet === undefined || others > 0;
  return (
    <g>
      <rect
        className={isOutside ? 'flow-node outside' : 'flow-node'}
        x={x}
        y={top}
        width={NODE}
        height={height}
        rx={2}
      />
      <text
        className="flow-name"
        x={isRight ? x - 6 : NODE + 6}
        y={top + height / 2}
        dy="0.35em"
        textAnchor={isRight ? 'end' : 'start'}
      >
        <tspan className={isOutside ? 'outside' : ''}>{walletLabel(node, outside, letters)}</tspan>
        <tspan className="flow-amount" dx="0.5em">
          {write(amount, symbol)}
        </tspan>
      </text>
    </g>
  );
}

function walletLabel({ wallet, others }: FlowNode, outside: string, letters: number): string {
  if (others > 0) return moneyText.remaining(others);
  if (wallet === undefined) return outside;
  const name = visible(wallet);
  return name.length > letters ? `${name.slice(0, letters)}…` : name;
}
