import { type AccessFinding, type Asker, forWhom } from '@countersign/client/explain';
import type { JsonObject } from '@countersign/protocol';
import { useQuery } from '@tanstack/react-query';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import type { Identity } from '../session/identity.js';
import { accessText } from '../text/access.js';
import { text } from '../text/en.js';
import { Filled } from '../ui/filled.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { type AccessAnswer, type AccessAnswers, type AccessQuestion, askLedger, askRules, askWhy } from './ask.js';
import type { AccessSearch } from './search.js';

/** Rules that are shown of an answer. */
const RULES_SHOWN = 3;

/** What came of a question: of every action, or of one with what is missing. */
type AnswerFound =
  | { readonly answers: AccessAnswers; readonly finding?: undefined }
  | { readonly finding: AccessFinding; readonly answers?: undefined };

/** Answers what was asked: by the ledger for who is signed in, by the rules for another key. */
export function AnswerSection({ search }: { readonly search: AccessSearch & { readonly kind: string } }) {
  const ledger = useLedger();
  const { kind, id, action, key } = search;
  const isMine = key === undefined;
  const found = useQuery({
    queryKey: [...scopeOf(ledger), 'access', kind, id, action, key],
    enabled: !isMine || ledger.identity.kind !== 'nobody',
    queryFn: async (): Promise<AnswerFound> => {
      const question: AccessQuestion = { kind, id, action };
      const { client, record } = ledger;
      if (!isMine) return { answers: await askRules(client, record, question, key) };
      if (action === undefined) return { answers: await askLedger(client, question) };
      return { finding: await askWhy(client, { ...question, action }, askerOf(ledger.identity)) };
    },
  });
  if (isMine && ledger.identity.kind === 'nobody') return <Notice tone="warn" title={accessText.signIn} />;
  if (found.error) return <Fault error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Skeleton lines={6} label={text.loading} />;
  const { answers, finding } = found.data;
  return (
    <section className="answer" aria-live="polite">
      {finding && <WhyFinding finding={finding} action={action ?? ''} record={kind} />}
      {answers && <AnswerTable found={answers} />}
      <p className="hint">{isMine ? accessText.restsOnLedger : accessText.restsOnRules}</p>
    </section>
  );
}

function askerOf(identity: Identity): Asker {
  return { public: identity.kind === 'key' ? identity.signer.public : '' };
}

function AnswerTable({ found: { answers, gate, handles } }: { readonly found: AccessAnswers }) {
  return (
    <>
      {handles !== undefined && (
        <p>
          {handles.length > 0 ? (
            <Filled of={(...names) => accessText.knownAs(names.join(', '))} names={handles} />
          ) : (
            accessText.knownAsNobody
          )}
        </p>
      )}
      {gate !== 'yes' && <Notice tone="warn" title={gate === 'no' ? accessText.gateClosed : accessText.gateUnknown} />}
      <ul className="answers">
        {answers.map((one) => (
          <li key={`${one.action} ${one.record}`} className={one.verdict}>
            <AnswerLine answer={one} />
          </li>
        ))}
      </ul>
    </>
  );
}

const VERDICT_SIGNS = { yes: '✓', no: '✕', unknown: '?' } as const;
const WORDS = { yes: accessText.granted, no: accessText.refused, unknown: accessText.perhaps } as const;

function AnswerLine({ answer: { action, record, verdict, rules } }: { readonly answer: AccessAnswer }) {
  return (
    <>
      <span className="answer-sign" aria-hidden="true">
        {VERDICT_SIGNS[verdict]}
      </span>
      <span>
        <code>{action}</code> <span className="hint">{record}</span>
      </span>
      <span>{WORDS[verdict]}</span>
      {rules.length > 0 && (
        <details>
          <summary>{accessText.by}</summary>
          {rules.slice(0, RULES_SHOWN).map((rule) => (
            <RuleText key={JSON.stringify(rule)} rule={rule} />
          ))}
          {rules.length > RULES_SHOWN && <p className="hint">{accessText.more(rules.length - RULES_SHOWN)}</p>}
        </details>
      )}
    </>
  );
}

/** A rule, and whom it is for where it says so: the ledger's answers do not. */
export function RuleText({ rule, isWhole = true }: { readonly rule: JsonObject; readonly isWhole?: boolean }) {
  const says = rule.signer !== undefined || rule.bearer !== undefined;
  return (
    <p className="rule">
      <code>
        <Plain value={JSON.stringify(rule)} most={300} />
      </code>
      {isWhole && says && (
        <>
          <br />
          <Plain value={forWhom(rule)} most={300} />
        </>
      )}
    </p>
  );
}

function WhyFinding({ finding, action, record }: { finding: AccessFinding; action: string; record: string }) {
  const { granted, why, granting, near } = finding;
  return (
    <Notice tone={granted ? 'good' : 'warn'} title={accessText.verdict(action, record, granted)}>
      <p>{why}</p>
      {granting.slice(0, RULES_SHOWN * 2).map(({ level, rule }) => (
        <RuleText key={`${level} ${JSON.stringify(rule)}`} rule={rule} />
      ))}
      {near.length > 0 && <h3>{accessText.near}</h3>}
      {near.slice(0, RULES_SHOWN * 2).map(({ level, rule, remark }) => (
        <div key={`${level} ${JSON.stringify(rule)}`}>
          <RuleText rule={rule as JsonObject} isWhole={false} />
          <p>{remark}</p>
        </div>
      ))}
    </Notice>
  );
}
