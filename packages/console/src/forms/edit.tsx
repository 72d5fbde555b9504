import { isRefusal, type Signed, type WriteOptions } from '@countersign/client';
import type { JsonObject } from '@countersign/protocol';
import { useMemo, useState } from 'react';
import { type KindDescription, recordName } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { doingText } from '../text/doing.js';
import { text } from '../text/en.js';
import { Field } from '../ui/field.js';
import { Skeleton } from '../ui/notice.js';
import { Conflict } from './conflict.js';
import { faultsOf, NO_FAULTS } from './faults.js';
import { InSight } from './in-sight.js';
import { RecordForm } from './record-form.js';
import { initialOf, shapeOfKind } from './shape.js';
import { useShape } from './use-schemas.js';
import { useWrite } from './use-write.js';
import { WriteStatus } from './write-status.js';

interface EditProps {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
  /** The version that is changed; undefined for a new record. */
  readonly record?: Signed;
  readonly onDone: (record: Signed) => void;
}

/** Makes a record, or changes the data of one. */
export function Edit({ kind, parent, record, onDone }: EditProps) {
  const { client } = useLedger();
  const [base, setBase] = useState(record);
  const [value, setValue] = useState<JsonObject>(() => (record ? dataOf(record) : newData(kind, parent)));
  const [secrets, setSecrets] = useState<ReadonlyMap<string, string>>(new Map());
  const shape = useShape(kind, value);
  const write = useWrite();
  const failed = write.state.at === 'failed' ? write.state.error : undefined;
  const faults = useMemo(() => (failed === undefined ? NO_FAULTS : faultsOf(failed)), [failed]);
  const records = client.kind(recordName(kind), parent);
  const names = secretsIn(value);
  const send = ({ ...options }: WriteOptions) => {
    const given = names.flatMap((name) => (secrets.get(name) ? [[name, secrets.get(name) as string]] : []));
    const whole = given.length === 0 ? options : { ...options, secret: Object.fromEntries(given) };
    return base ? records.update(base, value, whole) : records.create(value, whole);
  };
  const isOvertaken = base !== undefined && isRefusal(failed, 'crypto.parent-hash-invalid');
  if (shape === undefined) return <Skeleton lines={8} label={text.loading} />;
  return (
    <RecordForm
      shape={shape}
      value={value}
      faults={faults}
      submit={doingText.form.submits[base ? 'update' : 'create']}
      onChange={setValue}
      onSubmit={() => write.isBusy || write.run(send, onDone)}
    >
      {names.length > 0 && (
        <fieldset className="group">
          <legend>{doingText.form.secrets}</legend>
          <p className="hint">{doingText.form.secretsAbout}</p>
          {names.map((name) => (
            <Field
              key={name}
              label={name}
              type="password"
              autoComplete="off"
              value={secrets.get(name) ?? ''}
              onChange={(event) => setSecrets(new Map(secrets).set(name, event.target.value))}
            />
          ))}
        </fieldset>
      )}
      {isOvertaken ? (
        <InSight>
          <Conflict
            base={base}
            mine={value}
            read={() => records.get(...(kind.item.includes('{id}') ? [base.luid] : []))}
            onDecide={(now, data) => {
              setBase(now);
              setValue(data);
              write.reset();
            }}
          />
        </InSight>
      ) : (
        <WriteStatus write={write} client={client} onDone={onDone as (made: never) => void} />
      )}
    </RecordForm>
  );
}

/** The data of a version without what an update adds to it. */
export function dataOf({ data }: Signed): JsonObject {
  const { parent: _, ...others } = data;
  return others as JsonObject;
}

function newData(kind: KindDescription, parent: string | undefined): JsonObject {
  const initial = (initialOf(shapeOfKind(kind.record)) ?? {}) as JsonObject;
  return kind.parent !== undefined && parent !== undefined ? { ...initial, [kind.parent]: parent } : initial;
}

/** The names of secrets that data refers to (interface/signers#secrets). */
function secretsIn(value: JsonObject): string[] {
  const found = JSON.stringify(value).matchAll(/\{\{ secret\.([A-Za-z][A-Za-z0-9]*) \}\}/g);
  return [...new Set([...found].flatMap(([, name]) => name ?? []))].slice(0, 20);
}
