import { coversName, forWhom } from '@countersign/client/explain';
import { useQuery } from '@tanstack/react-query';
import { LISTED_KINDS } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { accessText } from '../text/access.js';
import { text } from '../text/en.js';
import { Filled } from '../ui/filled.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import { RuleText } from './answer.js';
import { counts, coversAction, isLimited, isOfUse } from './ask.js';
import { useCircles } from './members.js';
import { circlesIn, type LedgerRules, namesIn, type PlacedRule, readRules } from './rules.js';

/** Actions that every matrix has; others are added where a rule names them. */
const ACTIONS = ['access', 'read', 'query', 'create', 'update', 'drop'];

/** Rules that are shown of one party. */
const MATRIX_RULES = 40;

/** Those whom some rules are for. */
interface Party {
  readonly letter: string;
  readonly whom: string;
  readonly rules: readonly PlacedRule[];
}

/** The rules of the ledger as a matrix: actions by kinds of record, and who, each by which rules. */
export function Matrix() {
  const ledger = useLedger();
  const rules = useQuery({
    queryKey: [...scopeOf(ledger), 'rules', ledger.record.hash],
    queryFn: () => readRules(ledger.client, ledger.record),
  });
  if (rules.error) return <Fault error={rules.error} retry={() => void rules.refetch()} />;
  if (!rules.data) return <Skeleton lines={8} label={text.loading} />;
  return <MatrixOf found={rules.data} />;
}

function MatrixOf({ found: { rules, isByPolicies, missing, hasMore } }: { readonly found: LedgerRules }) {
  const parties = partiesOf(rules);
  return (
    <>
      <p className="hint">
        {isByPolicies ? accessText.byPolicies : accessText.byRecords} {accessText.erase}
      </p>
      {hasMore && <Notice tone="warn" title={accessText.morePolicies(rules.length)} />}
      {missing.slice(0, 10).map((policy) => (
        <Notice key={policy} tone="warn" title={<Filled of={accessText.missing} names={[policy]} />} />
      ))}
      {rules.length === 0 ? (
        <p>{accessText.noRules}</p>
      ) : (
        <>
          <MatrixTable rules={rules} parties={parties} />
          <h3>{accessText.whoTitle}</h3>
          <dl className="parties">
            {parties.map((party) => (
              <PartyFacts key={party.letter} party={party} />
            ))}
          </dl>
        </>
      )}
    </>
  );
}

function MatrixTable({ rules, parties }: { rules: readonly PlacedRule[]; parties: readonly Party[] }) {
  const named = rules.flatMap(({ rule }) => namesIn(rule.action));
  const actions = [...new Set([...ACTIONS, ...named])].filter((action) => action !== 'any');
  const records = [
    ...new Set([
      'ledger',
      ...LISTED_KINDS.map(({ record }) => record),
      ...rules.flatMap(({ rule }) => namesIn(rule.record)),
    ]),
  ].filter((record) => record !== 'any');
  return (
    <>
      <p className="hint">{accessText.caption}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className="matrix" tabIndex={0} aria-label={accessText.caption}>
        <table aria-label={accessText.caption}>
          <thead>
            <tr>
              <th scope="col">{accessText.kind}</th>
              {actions.map((action) => (
                <th scope="col" key={action}>
                  <Plain value={action} most={30} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map((record) => (
              <tr key={record}>
                <th scope="row">
                  <Plain value={record} most={30} />
                </th>
                {actions.map((action) => (
                  <td key={action}>
                    <Letters {...{ parties, action, record }} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Those who may do something; with a star where only on some records. */
function Letters({ parties, action, record }: { parties: readonly Party[]; action: string; record: string }) {
  if (!isOfUse(action, record)) return null;
  return parties.map(({ letter, whom, rules }) => {
    const own = rules.filter(
      ({ rule }) => coversAction(rule.action, action) && coversName(rule.record, record) && counts(rule, action),
    );
    if (own.length === 0) return null;
    const isWhole = own.some(({ rule }) => !isLimited(rule));
    return (
      <abbr key={letter} className="letter" title={isWhole ? whom : `${whom} (${accessText.limited})`}>
        {isWhole ? letter : `${letter}*`}
      </abbr>
    );
  });
}

function PartyFacts({ party: { letter, whom, rules } }: { readonly party: Party }) {
  const { name: ledger } = useLedger();
  return (
    <>
      <dt>
        <span className="letter">{letter}</span>
      </dt>
      <dd>
        <p>
          <Plain value={whom} most={400} />
        </p>
        <CircleMembers names={circlesIn(rules.map(({ rule }) => rule))} />
        <details>
          <summary>{accessText.by}</summary>
          {rules.slice(0, MATRIX_RULES).map(({ policy, at, rule }) => (
            <div key={`${at} ${policy}`}>
              <p className="hint">
                {policy === undefined ? (
                  <RecordLink to={{ ledger, kind: 'ledger', id: 'record' }}>{accessText.ofLedger(at)}</RecordLink>
                ) : (
                  <RecordLink to={{ ledger, kind: 'policy', id: policy }}>
                    <Filled of={(name) => accessText.ofPolicy(at, name)} names={[policy]} />
                  </RecordLink>
                )}
                {isLimited(rule) && ` (${accessText.limited})`}
              </p>
              <RuleText rule={rule} isWhole={false} />
            </div>
          ))}
          {rules.length > MATRIX_RULES && <p className="hint">{accessText.more(rules.length - MATRIX_RULES)}</p>}
        </details>
      </dd>
    </>
  );
}

/** Who is in the circles that a party is made of. */
function CircleMembers({ names }: { readonly names: readonly string[] }) {
  const { name: ledger } = useLedger();
  const circles = useCircles(names);
  if (names.length === 0 || !circles.data) return null;
  return [...circles.data].map(([circle, members]) => (
    <p key={circle} className="hint">
      <RecordLink to={{ ledger, kind: 'circle', id: circle }}>
        <Plain value={circle} most={40} />
      </RecordLink>
      : {members === null ? accessText.membersHidden : members.handles.length === 0 ? accessText.noMembers : ''}
      {members?.handles.map((handle, at) => (
        <span key={handle}>
          {at > 0 && ', '}
          <RecordLink to={{ ledger, kind: 'signer', id: handle }}>
            <Plain value={handle} most={40} />
          </RecordLink>
        </span>
      ))}
      {members?.hasMore && ` ${accessText.membersMore}`}
    </p>
  ));
}

/** Rules with the same conditions are for the same. */
function partiesOf(rules: readonly PlacedRule[]): Party[] {
  const groups = new Map<string, PlacedRule[]>();
  for (const one of rules) {
    const whom = forWhom(one.rule);
    groups.set(whom, [...(groups.get(whom) ?? []), one]);
  }
  return [...groups].map(([whom, own], at) => ({ letter: letterOf(at), whom, rules: own }));
}

/** A, B, … Z, AA, AB, … */
function letterOf(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : letterOf(Math.floor(at / 26) - 1) + last;
}
