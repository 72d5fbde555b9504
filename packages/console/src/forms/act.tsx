import { isRefusal, type Signed, type Stated, type WriteOptions } from '@countersign/client';
import { isObject } from '@countersign/protocol';
import { type FormEvent, useState } from 'react';
import { type KindDescription, recordName } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { doingText } from '../text/doing.js';
import { Field } from '../ui/field.js';
import { Filled } from '../ui/filled.js';
import { Notice } from '../ui/notice.js';
import { Conflict } from './conflict.js';
import { dataOf } from './edit.js';
import { InSight } from './in-sight.js';
import type { Doing } from './operations.js';
import { jsonIn } from './plain-fields.js';
import { useWrite } from './use-write.js';
import { WriteStatus } from './write-status.js';

interface ActProps {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  readonly id: string;
  readonly event: string | undefined;
  readonly doing: Exclude<Doing, 'create' | 'update'>;
  /** Undefined where it need not be read. */
  readonly record: Signed | undefined;
  readonly onDone: (came: Signed | 'dropped' | 'retried') => void;
}

type ActAnswers = Readonly<Record<string, string>>;

interface ActQuestion {
  readonly name: string;
  readonly label: string;
  readonly about?: string;
  readonly isRequired?: boolean;
}

/** A write that changes no data: a proof, a drop, an erasure, a decision, another attempt. */
export function Act({ kind, parent, id, event, doing, record, onDone }: ActProps) {
  const { client } = useLedger();
  const [base, setBase] = useState(record);
  const [answers, setAnswers] = useState<ActAnswers>({ event: event ?? '', maxAge: event ? '0' : '60' });
  const write = useWrite();
  const failed = write.state.at === 'failed' ? write.state.error : undefined;
  const records = client.kind(recordName(kind), parent);
  const isBad = doing === 'sign' && (answers.more ?? '').trim() !== '' && statedIn(answers.more ?? '') === undefined;
  const send = async (options: WriteOptions): Promise<Signed | 'dropped' | 'retried'> => {
    switch (doing) {
      case 'sign':
        return records.sign(base, statedOf(answers), options);
      case 'commit':
      case 'abort':
        return records.sign(base, { action: doing }, options);
      case 'drop':
        await records.drop(base, {
          ...options,
          confirm: true,
          ...(answers.reason ? { custom: { reason: answers.reason } } : {}),
        });
        return 'dropped';
      case 'erase':
        return records.erase(id, answers.reason ?? '', options);
      case 'retry': {
        const only = answers.event ? { event: answers.event } : {};
        await records.retry(base?.luid ?? id, { ...options, ...only, maxAge: Number(answers.maxAge) });
        return 'retried';
      }
    }
  };
  const begin = (submitted: FormEvent) => {
    submitted.preventDefault();
    if (!write.isBusy && !isBad) write.run(send, onDone);
  };
  const isOvertaken = base !== undefined && isRefusal(failed, 'crypto.parent-hash-invalid');
  return (
    <form onSubmit={begin} className="act">
      {doing === 'drop' && <p>{doingText.form.dropAbout}</p>}
      {doing === 'erase' && <Notice tone="warn" title={doingText.form.eraseAbout} />}
      {doing === 'sign' && base && <Labels record={base} />}
      {questionsOf(doing, base).map(({ name, label, about, isRequired }) => (
        <Field
          key={name}
          label={label}
          about={about}
          value={answers[name] ?? ''}
          onChange={(change) => setAnswers({ ...answers, [name]: change.target.value })}
          autoComplete="off"
          required={isRequired}
        />
      ))}
      {isBad && <p className="error">{doingText.form.badJson}</p>}
      {isOvertaken ? (
        <InSight>
          <Conflict
            base={base}
            mine={dataOf(base)}
            read={() => records.get(base.luid)}
            onDecide={(now) => {
              setBase(now);
              write.reset();
            }}
          />
        </InSight>
      ) : (
        <WriteStatus write={write} client={client} onDone={onDone as (made: never) => void} />
      )}
      <button type="submit" className="primary">
        {doingText.form.submits[doing]}
      </button>
    </form>
  );
}

function questionsOf(doing: ActProps['doing'], base: Signed | undefined): readonly ActQuestion[] {
  const words = doingText.form;
  switch (doing) {
    case 'sign':
      return [
        { name: 'status', label: words.status, about: words.statusAbout(String(base?.meta.status ?? '')) },
        { name: 'push', label: words.push, about: words.labelsAbout },
        { name: 'pull', label: words.pull, about: words.labelsAbout },
        { name: 'more', label: words.moreStated, about: words.moreStatedAbout },
      ];
    case 'drop':
      return [{ name: 'reason', label: words.reason }];
    case 'erase':
      return [{ name: 'reason', label: words.reason, about: words.reasonAbout, isRequired: true }];
    case 'retry':
      return [
        { name: 'event', label: words.event },
        { name: 'maxAge', label: words.maxAge, about: words.maxAgeAbout, isRequired: true },
      ];
    default:
      return [];
  }
}

function Labels({ record }: { readonly record: Signed }) {
  const { labels } = record.meta;
  if (!Array.isArray(labels) || labels.length === 0) return null;
  return (
    <p>
      <Filled of={(...names) => doingText.form.labelsNow(names.join(', '))} names={labels.map(String)} />
    </p>
  );
}

/** What the proof says, by what was filled in. */
function statedOf({ status = '', push = '', pull = '', more = '' }: ActAnswers): Stated {
  const [added, removed] = [listIn(push), listIn(pull)];
  const labels = {
    ...(added.length > 0 ? { $push: added } : {}),
    ...(removed.length > 0 ? { $pullAll: removed } : {}),
  };
  return {
    ...(statedIn(more) ?? {}),
    ...(status.trim() === '' ? {} : { status: status.trim() }),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
  };
}

function statedIn(text: string): Stated | undefined {
  const value = jsonIn(text);
  return value !== undefined && isObject(value) ? (value as Stated) : undefined;
}

function listIn(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
