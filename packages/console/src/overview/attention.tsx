import type { Signed } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import { useLedger } from '../session/context.js';
import { overviewText as texts } from '../text/overview.js';
import { SAMPLE } from './use-samples.js';

/** Statuses of policies that are not active. Those that every ledger has from the start have none. */
const INACTIVE = ['created', 'inactive'];

/** Statuses of intents that are under way. */
const UNDER_WAY = ['pending', 'prepared', 'committed', 'aborted'];

interface AttentionProps {
  readonly intents: readonly Signed[];
  readonly policies: readonly Signed[];
  readonly deliveries: readonly string[];
}

/** What waits for somebody, each with the way to it. */
export function Attention({ intents, policies, deliveries }: AttentionProps) {
  const { name: ledger } = useLedger();
  const waiting = intents.filter(({ meta }) => UNDER_WAY.includes(String(meta.status))).length;
  const inactive = policies.filter(({ meta }) => INACTIVE.includes(String(meta.status))).length;
  const failed = deliveries.filter((state) => state === 'failed' || state === 'cancelled').length;
  const counted = (count: number) => texts.counted(count, count >= SAMPLE);
  const items = [
    {
      count: waiting,
      say: texts.waitingIntents,
      kind: 'intent',
      search: { filter: `meta.status.$in=${UNDER_WAY.join()}` },
    },
    { count: failed, say: texts.failedDeliveries, kind: 'effect', search: {} },
    {
      count: inactive,
      say: texts.pendingPolicies,
      kind: 'policy',
      search: { filter: `meta.status.$in=${INACTIVE.join()}` },
    },
  ].filter(({ count }) => count > 0);
  return (
    <section className="panel" aria-labelledby="attention-title">
      <h2 id="attention-title">{texts.attention}</h2>
      {items.length === 0 && <p className="hint">{texts.nothing}</p>}
      <ul className="links">
        {items.map(({ count, say, kind, search }) => (
          <li key={kind}>
            <Link to="/l/$ledger/$kind" params={{ ledger, kind }} search={search}>
              {say(counted(count))}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
