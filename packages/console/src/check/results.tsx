import { checkText } from '../text/check.js';
import { recordText } from '../text/record.js';
import { Code } from '../ui/copy.js';
import { JsonText } from '../ui/json.js';
import { Line } from '../ui/line.js';
import { Notice } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { isWhole } from '../verify/judge.js';
import type { ExportResult } from './check-export.js';
import type { RecordResult } from './check-record.js';

/** What was found of an export: what is wrong, what was checked, and what cannot be told. */
export function ExportResultView({ result, isPinned }: { readonly result: ExportResult; readonly isPinned: boolean }) {
  const { summary, findings, count, key } = result;
  return (
    <section>
      <Notice
        tone={count === 0 ? 'good' : 'bad'}
        title={count === 0 ? checkText.exportFine : checkText.exportBad(count)}
      >
        {!isPinned && <Unpinned fileKey={key} />}
      </Notice>
      {findings.length > 0 && <Sentences title={checkText.findings} sentences={findings} />}
      <Sentences title={checkText.checked} sentences={summary.checked} />
      <Sentences title={checkText.unchecked} sentences={summary.unchecked} />
    </section>
  );
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>
            <Plain value={sentence} most={600} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** What was found of a record, and of its place in the log. */
export function RecordResultView({ result }: { readonly result: RecordResult }) {
  const { record, verdict, sealed, change, fault, isPinned, key } = result;
  const holds = verdict.isHash && verdict.proofs.length > 0 && verdict.proofs.every(isWhole);
  const { isFine } = verdict;
  return (
    <section>
      <Notice tone={isFine ? 'good' : 'bad'} title={isFine ? checkText.recordFine : checkText.recordBad}>
        {!verdict.isHash && <p>{recordText.badHash}</p>}
        {holds && verdict.countersignature === undefined && <p>{checkText.recordLedger}</p>}
        {verdict.status === 'false' && <p>{recordText.badStatus}</p>}
        {!isPinned && key !== undefined && <Unpinned fileKey={key} />}
      </Notice>
      {sealed && change !== undefined && (
        <Notice tone="good" title={checkText.proved(change, sealed.index, sealed.size)}>
          {isPinned && <p>{checkText.provedKey}</p>}
          {sealed.witnesses.size > 0 && (
            <p>
              <Line value={[...sealed.witnesses.keys()]} most={100} />
            </p>
          )}
        </Notice>
      )}
      {fault !== undefined && (
        <Notice tone="bad" title={checkText.unproved}>
          <p>
            <Plain value={fault} />
          </p>
        </Notice>
      )}
      {!sealed && fault === undefined && <p className="hint">{checkText.needsProof}</p>}
      <JsonText value={record} label={recordText.asJson} />
    </section>
  );
}

function Unpinned({ fileKey }: { readonly fileKey: string }) {
  return (
    <p>
      {checkText.unpinned} <Code value={fileKey.slice(0, 100)} label={recordText.key} length={44} />
    </p>
  );
}
