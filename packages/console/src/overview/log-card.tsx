import { acceptCheckpoint, isQuorumMet } from '@countersign/protocol/log';
import { useQuery } from '@tanstack/react-query';
import { BegunAnew, LogFailure, sentenceOf } from '../record/log.js';
import { scopeOf, useLedger } from '../session/context.js';
import type { OpenLedger } from '../session/open-ledger.js';
import { findPolicy } from '../session/trees.js';
import { text } from '../text/en.js';
import { overviewText } from '../text/overview.js';
import { Age } from '../ui/age.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { followTree, type TreeVerdict } from '../verify/follow-tree.js';
import { openOwnCheckpoint, readPolicy } from '../verify/log.js';

const { log: texts } = overviewText;

/** What the ledger says of its log, and what was proved of it here. */
interface LogState {
  readonly size: number;
  readonly sealed: string | null;
  readonly waiting: { readonly count: number; readonly seconds: number };
  readonly stopped: string | null;
  readonly tree: TreeVerdict | undefined;
  readonly witnesses: { readonly count: number; readonly all: number; readonly isMet: boolean } | undefined;
}

/** The log: how large it is, how far behind, and whether it goes on from what was seen. */
export function LogCard() {
  const ledger = useLedger();
  const state = useQuery({ queryKey: [...scopeOf(ledger), 'log'], queryFn: () => readState(ledger) });
  return (
    <section className="panel" aria-labelledby="log-title">
      <h2 id="log-title">{texts.title}</h2>
      {state.isPending && <Skeleton lines={4} label={text.loading} />}
      {state.error && <LogFailure error={state.error} />}
      {state.data && <Facts state={state.data} />}
    </section>
  );
}

function Facts({ state }: { readonly state: LogState }) {
  const { size, sealed, waiting, stopped, tree, witnesses } = state;
  if (stopped !== null) {
    return (
      <Notice tone="bad" title={texts.stopped}>
        <Plain value={stopped} />
      </Notice>
    );
  }
  if (tree === undefined) return <p className="hint">{texts.empty}</p>;
  return (
    <>
      {tree.former === undefined ? <Notice tone="good" title={texts.verified} /> : <BegunAnew tree={tree} />}
      <dl className="facts">
        <dt>{texts.size}</dt>
        <dd>{size.toLocaleString('en')}</dd>
        <dt>{texts.waiting}</dt>
        <dd>{texts.waitingOf(waiting.count, waiting.seconds)}</dd>
        <dt>{texts.sealed}</dt>
        <dd>{sealed && <Age moment={sealed} />}</dd>
        <dt>{texts.before}</dt>
        <dd>{sentenceOf(tree)}</dd>
        <dt>{texts.witnesses}</dt>
        <dd>{witnesses ? texts.witnessed(witnesses.count, witnesses.all, witnesses.isMet) : texts.noPolicy}</dd>
      </dl>
    </>
  );
}

async function readState(ledger: OpenLedger): Promise<LogState> {
  const { data } = await ledger.client.record.log();
  const { size, sealed, unsealed, stopped, checkpoint } = data;
  return {
    ...{ size, sealed, stopped },
    waiting: { count: unsealed.count, seconds: Math.round(unsealed.age / 1000) },
    tree: checkpoint === null ? undefined : await followTree(ledger, checkpoint),
    witnesses: checkpoint === null ? undefined : witnessesOf(ledger, checkpoint),
  };
}

/** Which of the witnesses of the pasted policy have cosigned. */
function witnessesOf({ server, pin }: OpenLedger, checkpoint: string): LogState['witnesses'] {
  const policy = readPolicy(findPolicy(server, pin.luid));
  if (policy === undefined) return undefined;
  const logs = openOwnCheckpoint(checkpoint, pin).signed.map(({ key }) => key);
  const { witnesses } = acceptCheckpoint(checkpoint, { ...policy, logs, quorum: undefined });
  const isMet = policy.witnesses.size > 0 && isQuorumMet(policy, witnesses.keys());
  return { count: witnesses.size, all: policy.witnesses.size, isMet };
}
