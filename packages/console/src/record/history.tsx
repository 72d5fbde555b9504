import type { Signed } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useLedger } from '../session/context.js';
import { recordText } from '../text/record.js';
import { Line } from '../ui/line.js';
import { Badge, Notice } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Time } from '../ui/time.js';
import { differencesOf } from '../verify/differences.js';
import { judgeVersions } from '../verify/history.js';
import { SignerName } from './whose.js';

const { history: texts } = recordText;

/** Findings that are shown at most. */
const FINDINGS_SHOWN = 20;

interface HistoryTimelineProps {
  /** Newest first. */
  readonly versions: readonly Signed[];
  /** Whether older ones were left out of what was asked for. */
  readonly hasMore: boolean;
  readonly onMore: () => void;
  readonly kind: string;
  readonly parent: string | undefined;
}

/** The versions of a record as a timeline, with what each has changed. */
export function HistoryTimeline({ versions: loaded, hasMore, onMore, kind, parent }: HistoryTimelineProps) {
  const { pin } = useLedger();
  const judged = useMemo(() => judgeVersions(kind, loaded, hasMore, pin.key), [kind, loaded, hasMore, pin.key]);
  const { versions, isWhole, findings } = judged;
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">{texts.title}</h2>
      {isWhole && (
        <p className="count">
          <span className="tick">✓</span> {texts.whole}
        </p>
      )}
      {findings.length > 0 && (
        <Notice tone="bad" title={texts.bad}>
          <ul>
            {findings.slice(0, FINDINGS_SHOWN).map(({ change, detail }) => (
              <li key={`${change} ${detail}`}>
                {recordText.version(change)} <Plain value={detail} most={300} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <ol className="timeline">
        {versions.map((version, at) => (
          <li key={String(version.meta.change)}>
            <HistoryVersion version={version} older={versions[at + 1]} {...{ kind, parent }} />
          </li>
        ))}
      </ol>
      {hasMore && (
        <button type="button" onClick={onMore}>
          {texts.more}
        </button>
      )}
    </section>
  );
}

interface HistoryVersionProps {
  readonly version: Signed;
  readonly older: Signed | undefined;
  readonly kind: string;
  readonly parent: string | undefined;
}

function HistoryVersion({ version, older, kind, parent }: HistoryVersionProps) {
  const { name: ledger, pin } = useLedger();
  const { meta, luid } = version;
  const action = String(meta.action);
  const actionText: string | undefined = Object.hasOwn(texts.actions, action)
    ? texts.actions[action as keyof typeof texts.actions]
    : undefined;
  const author = meta.proofs.find((proof) => proof.public !== pin.key);
  return (
    <>
      <div className="version-head">
        <Link
          to="/l/$ledger/$kind/$id"
          params={{ ledger, kind, id: luid }}
          search={{ ...(parent === undefined ? {} : { parent }), change: String(meta.change) }}
          title={texts.showAs}
        >
          {recordText.version(Number(meta.change))}
        </Link>
        <Badge tone={action === 'drop' || action === 'erase' ? 'warn' : 'plain'}>
          {actionText ?? <Plain value={action.slice(0, 20)} />}
        </Badge>
        {/* A version's first status repeats its action: it is shown once. */}
        {typeof meta.status === 'string' && meta.status !== actionText && (
          <Badge tone="plain">
            <Plain value={meta.status.slice(0, 60)} />
          </Badge>
        )}
        <Time moment={String(meta.moment)} />
        {author !== undefined && (
          <span className="hint">
            {texts.by} <SignerName proof={author} isByLedger={false} />
          </span>
        )}
      </div>
      <Changed version={version} older={older} />
    </>
  );
}

function Changed({ version, older }: Pick<HistoryVersionProps, 'version' | 'older'>) {
  if (older === undefined) {
    return version.meta.action === 'create' ? (
      <p className="hint">{texts.first(Object.keys(version.data).length)}</p>
    ) : null;
  }
  const differences = differencesOf(older.data, version.data);
  if (differences.length === 0) return <p className="hint">{texts.same}</p>;
  return (
    <table className="differences">
      <thead>
        <tr>
          <th scope="col">{texts.member}</th>
          <th scope="col">{texts.before}</th>
          <th scope="col">{texts.after}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ path, before, after }) => (
          <tr key={path}>
            <th scope="row">
              <Plain value={path} most={80} />
            </th>
            <td>
              <Shown value={before} tag="del" />
            </td>
            <td>
              <Shown value={after} tag="ins" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Shown({ value, tag: Tag }: { readonly value: unknown; readonly tag: 'ins' | 'del' }) {
  if (value === undefined) return <span className="hint">{texts.absent}</span>;
  return (
    <Tag>
      <Line value={value} most={160} hasAll />
    </Tag>
  );
}
