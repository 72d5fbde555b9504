import type { ReactNode } from 'react';

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

const TONE_SIGNS: Record<Tone, string> = { good: '✓', bad: '✕', warn: '!', plain: 'i' };

/** A sentence that stands out, with what belongs to it below. */
export function Notice({ tone, title, children }: { tone: Tone; title: ReactNode; children?: ReactNode }) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <span className="sign" aria-hidden="true">
        {TONE_SIGNS[tone]}
      </span>
      <div>
        <p className="notice-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

/** A word about a thing, in its colour. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** Where something will be shown. */
export function Skeleton({ lines = 6, label }: { lines?: number; label: string }) {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">{label}</span>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all are alike
        <i key={at} />
      ))}
    </div>
  );
}
