import type { Json, JsonObject } from '@countersign/protocol';
import { type FormEvent, type ReactNode, useCallback, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { doingText } from '../text/doing.js';
import { Notice } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import type { Faults } from './faults.js';
import { ObjectFields, ShapeField } from './fields.js';
import { FormContext, fieldId } from './form-context.js';
import { type Path, putAt } from './paths.js';
import { jsonIn } from './plain-fields.js';
import { isData } from './rebase.js';
import type { Shape } from './shape.js';

interface RecordFormProps {
  readonly shape: Shape;
  readonly value: JsonObject;
  readonly faults: Faults;
  readonly submit: string;
  readonly onChange: (value: JsonObject) => void;
  readonly onSubmit: () => void;
  /** What stands between the fields and the button. */
  readonly children?: ReactNode;
}

/** Data as fields and as JSON, side by side: either changes both. */
export function RecordForm({ shape, value, faults, submit, onChange, onSubmit, children }: RecordFormProps) {
  const id = useId();
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map());
  const [text, setText] = useState<string>();
  const shown = text ?? JSON.stringify(value, null, 2);
  const isBadText = text !== undefined && !isData(jsonIn(text));
  const note = useCallback((pointer: string, fault: string | undefined) => {
    setDrafts((now) => {
      if (now.get(pointer) === fault) return now;
      const next = new Map(now);
      if (fault === undefined) next.delete(pointer);
      else next.set(pointer, fault);
      return next;
    });
  }, []);
  const focusOnceShown = useFocusOnceShown();
  const scope = useMemo(() => {
    const change = (path: Path, put: Json | undefined) => {
      setText(undefined);
      onChange((putAt(value, path, put) ?? {}) as JsonObject);
    };
    return { id, change, focusOnceShown, faults, note };
  }, [id, value, faults, note, focusOnceShown, onChange]);
  const write = (given: string) => {
    setText(given);
    const data = jsonIn(given);
    if (isData(data)) onChange(data);
  };
  const begin = (event: FormEvent) => {
    event.preventDefault();
    if (!isBadText && drafts.size === 0) onSubmit();
  };
  return (
    <FormContext.Provider value={scope}>
      <form onSubmit={begin} noValidate>
        <WrongPlaces form={id} faults={faults} />
        <div className="form-columns">
          <section aria-label={doingText.form.fields}>
            {shape.type === 'object' ? (
              <ObjectFields shape={shape} value={value} path={[]} />
            ) : (
              <ShapeField label={doingText.sign.data} shape={shape} value={value} path={[]} isRequired={true} />
            )}
          </section>
          <section className="beside">
            <label htmlFor={`${id}-json`}>{doingText.form.json}</label>
            <textarea
              id={`${id}-json`}
              className="json-input"
              spellCheck={false}
              autoCapitalize="none"
              aria-describedby={`${id}-json-about`}
              aria-invalid={isBadText || undefined}
              rows={Math.min(30, Math.max(8, shown.split('\n').length + 1))}
              value={shown}
              onChange={(event) => write(event.target.value)}
            />
            <p id={`${id}-json-about`} className={isBadText ? 'error' : 'hint'}>
              {isBadText ? doingText.form.badJson : doingText.form.jsonAbout}
            </p>
          </section>
        </div>
        {children}
        <button type="submit" className="primary">
          {submit}
        </button>
      </form>
    </FormContext.Provider>
  );
}

/** Focuses an element by its id once the form has drawn it: what was pressed for the change may be gone. */
function useFocusOnceShown(): (id: string) => void {
  const wanted = useRef<string>(undefined);
  useLayoutEffect(() => {
    const found = wanted.current === undefined ? null : document.getElementById(wanted.current);
    if (found === null) return;
    wanted.current = undefined;
    found.focus();
  });
  return useCallback((id) => {
    wanted.current = id;
  }, []);
}

/** The places that the ledger has found wrong, each leading to its field. */
function WrongPlaces({ form, faults }: { readonly form: string; readonly faults: Faults }) {
  if (faults.size === 0) return null;
  return (
    <Notice tone="warn" title={doingText.form.wrong}>
      <ul className="links">
        {[...faults].slice(0, 50).map(([pointer, said]) => (
          <li key={pointer}>
            <button
              type="button"
              className="link"
              onClick={() => document.getElementById(fieldId(form, pointer))?.focus()}
            >
              <Plain value={pointer.slice(1) || '/'} most={120} />
            </button>{' '}
            <Plain value={said.join('; ')} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
