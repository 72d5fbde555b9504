import { LogError } from '@countersign/protocol/log';
import { useQueryClient } from '@tanstack/react-query';
import { useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { rememberLog } from '../session/trees.js';
import { recordText } from '../text/record.js';
import { Code } from '../ui/copy.js';
import { Notice } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Scroll } from '../ui/scroll.js';
import { Time } from '../ui/time.js';
import { TreeBroken, type TreeVerdict } from '../verify/follow-tree.js';
import type { Sealed } from './use-sealed.js';

const { log: texts } = recordText;

/** The proof that a version is in the log, step by step, and how the log stands to what was seen of it. */
export function LogProof({ sealed }: { readonly sealed: Sealed }) {
  if (sealed.state !== 'sealed') return null;
  const { verdict, tree } = sealed;
  return (
    <>
      <BegunAnew tree={tree} />
      <details className="steps">
        <summary>
          <h2>{texts.title}</h2>
        </summary>
        <dl className="facts">
          <dt>{texts.commitment}</dt>
          <dd>
            <Code value={verdict.commitment} label={texts.commitment} length={64} />
            <p className="hint">{texts.commitmentAbout}</p>
          </dd>
          <dt>{texts.leaf}</dt>
          <dd>
            <Code value={verdict.leaf} label={texts.leaf} length={64} />
          </dd>
          <dt>{texts.path}</dt>
          <dd>{texts.pathAbout(verdict.steps)}</dd>
          <dt>{texts.root}</dt>
          <dd>
            <Code value={verdict.root} label={texts.root} length={64} />
          </dd>
          <dt>{texts.checkpoint}</dt>
          <dd>
            <Scroll className="bytes" label={texts.checkpoint}>
              {verdict.checkpoint}
            </Scroll>
            <p className="hint">{texts.checkpointAbout}</p>
          </dd>
          <dt>{texts.consistency}</dt>
          <dd>{sentenceOf(tree)}</dd>
        </dl>
      </details>
    </>
  );
}

/** Warns of a log that took the place of one that was seen before, until somebody knows why. */
export function BegunAnew({ tree: { former, origin } }: { readonly tree: TreeVerdict }) {
  const { server, pin } = useLedger();
  const queries = useQueryClient();
  if (former === undefined) return null;
  const accept = () => {
    rememberLog(server, pin.luid, origin);
    void queries.invalidateQueries();
  };
  return (
    <Notice tone="warn" title={texts.anew(former.size)}>
      <p>{texts.anewAbout}</p>
      <p>
        {texts.before} <Time moment={former.seen} />
      </p>
      <Scroll className="bytes" label={texts.checkpoint}>
        {former.checkpoint}
      </Scroll>
      <button type="button" onClick={accept}>
        {texts.anewGo}
      </button>
    </Notice>
  );
}

/** How a tree stands to the one that was seen before, in a sentence. */
export function sentenceOf({ before, size, hashes }: TreeVerdict): string {
  if (before === undefined) return texts.first;
  if (before.size === size) return texts.same;
  return texts.grown(Math.min(before.size, size), Math.max(before.size, size), hashes);
}

/** Why the log proves nothing: two stories are the worst of all. */
export function LogFailure({ error }: { readonly error: unknown }) {
  if (error instanceof TreeBroken) {
    const { before, shown } = error;
    return (
      <section className="alarm" role="alert">
        <h2>{texts.broken}</h2>
        <p>{texts.brokenAbout}</p>
        <h3>
          {texts.before} <Time moment={before.seen} />
        </h3>
        <Scroll className="bytes" label={texts.before}>
          {before.checkpoint}
        </Scroll>
        <h3>{texts.now}</h3>
        <Scroll className="bytes" label={texts.now}>
          {shown}
        </Scroll>
      </section>
    );
  }
  if (error instanceof LogError) {
    return (
      <Notice tone="bad" title={texts.unproved}>
        <p>
          <Plain value={error.detail} />
        </p>
      </Notice>
    );
  }
  return <Fault error={error} />;
}
