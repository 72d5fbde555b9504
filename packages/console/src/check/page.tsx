import './check.css';
import { LogError } from '@countersign/protocol/log';
import { NotAnExport } from '@countersign/verifier';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { checkText } from '../text/check.js';
import { text } from '../text/en.js';
import { Field } from '../ui/field.js';
import { Filled } from '../ui/filled.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { checkExport, type ExportResult } from './check-export.js';
import { checkRecord, type RecordResult } from './check-record.js';
import { sortFiles } from './files.js';
import { giveFiles, useGivenFiles } from './given.js';
import { ExportResultView, RecordResultView } from './results.js';

/** Checks files that were dropped or chosen, without any server. */
export function CheckPage() {
  const id = useId();
  const files = useGivenFiles();
  return (
    <div className="check-page">
      <h1>{checkText.title}</h1>
      <p className="lead">{checkText.lead}</p>
      <p>
        <label className="choose" htmlFor={id}>
          {files.length === 0 ? checkText.choose : checkText.again}
        </label>
        <input
          id={id}
          className="unseen"
          type="file"
          multiple
          onChange={(event) => giveFiles([...(event.target.files ?? [])])}
        />
      </p>
      {files.length > 0 && <Given key={files.map(({ name, size }) => `${name} ${size}`).join()} files={files} />}
    </div>
  );
}

interface CheckAsked {
  readonly key: string;
  readonly policy: string;
  readonly change: number;
}

function Given({ files }: { readonly files: readonly File[] }) {
  const [asked, ask] = useState<CheckAsked>({ key: '', policy: '', change: 1 });
  const [progress, setProgress] = useState<readonly [number, number]>([0, 0]);
  const found = useQuery({
    queryKey: ['check', files.map(({ name, size, lastModified }) => [name, size, lastModified]), asked],
    queryFn: () => checkFiles(files, asked, (...counts) => setProgress(counts)),
    gcTime: 0,
  });
  return (
    <>
      <ul className="given">
        {files.map((file) => (
          <li key={file.name}>
            <Plain value={file.name} most={100} />
          </li>
        ))}
      </ul>
      <GivenForm onAsk={ask} />
      {found.isFetching && (
        <>
          <p aria-live="polite">{progress[1] > 0 && checkText.running(...progress)}</p>
          <Skeleton lines={4} label={text.loading} />
        </>
      )}
      {found.error && <Notice tone="bad" title={<Plain value={messageOf(found.error)} />} />}
      {found.data && !found.isFetching && (
        <>
          {found.data.unknown.map((name) => (
            <Notice key={name} tone="warn" title={<Filled of={checkText.unknown} names={[name]} />} />
          ))}
          {found.data.exported && <ExportResultView result={found.data.exported} isPinned={asked.key !== ''} />}
          {found.data.record && <RecordResultView result={found.data.record} />}
          {found.data.isProofAlone && <Notice tone="plain" title={checkText.needsRecord} />}
        </>
      )}
    </>
  );
}

function GivenForm({ onAsk }: { readonly onAsk: (asked: CheckAsked) => void }) {
  const [key, setKey] = useState('');
  const [policy, setPolicy] = useState('');
  const [change, setChange] = useState('1');
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk({ key: key.trim(), policy, change: Math.max(1, Number.parseInt(change, 10) || 1) });
  };
  return (
    <form className="card" onSubmit={submit}>
      <Field
        label={checkText.key}
        about={checkText.keyAbout}
        value={key}
        onChange={(event) => setKey(event.target.value)}
        spellCheck={false}
      />
      <Field
        label={checkText.change}
        value={change}
        onChange={(event) => setChange(event.target.value)}
        inputMode="numeric"
      />
      <div className="field">
        <label htmlFor={id}>{checkText.policy}</label>
        <textarea id={id} rows={3} value={policy} onChange={(event) => setPolicy(event.target.value)} />
      </div>
      <button type="submit" className="primary">
        {checkText.run}
      </button>
    </form>
  );
}

interface Results {
  readonly exported: ExportResult | undefined;
  readonly record: RecordResult | undefined;
  readonly unknown: readonly string[];
  readonly isProofAlone: boolean;
}

async function checkFiles(
  files: readonly File[],
  asked: CheckAsked,
  progress: (done: number, all: number) => void,
): Promise<Results> {
  const { exported, record, proof, unknown } = await sortFiles(files);
  return {
    exported: exported && (await checkExport(exported, asked, progress)),
    record: record === undefined ? undefined : checkRecord(record, proof, asked),
    unknown,
    isProofAlone: proof !== undefined && record === undefined,
  };
}

function messageOf(error: Error): string {
  if (error instanceof LogError) return error.detail;
  return error instanceof NotAnExport ? error.message : `${text.fault.unexpected}: ${error.message}`;
}
