import type { Ledger, WriteOptions } from '@countersign/client';
import { type FormEvent, useId, useState } from 'react';
import { useWrite } from '../forms/use-write.js';
import { WriteStatus } from '../forms/write-status.js';
import { Field } from '../ui/field.js';

/** What a form asks for, with an answer that will do. */
export interface StepQuestion {
  readonly name: string;
  readonly label: string;
  readonly about?: string;
  readonly initial: string;
  readonly values?: readonly string[];
  /** What is wrong with an answer; undefined for one that is right. */
  readonly fault?: (answer: string) => string | undefined;
}

type StepAnswers = Readonly<Record<string, string>>;

interface StepFormProps {
  readonly client: Ledger;
  readonly questions: readonly StepQuestion[];
  readonly submit: string;
  readonly send: (answers: StepAnswers & { readonly handle: string }, options: WriteOptions) => Promise<unknown>;
  readonly onDone: () => void;
}

/** One form of the first steps: what it sends is shown and signed. */
export function StepForm({ client, questions, submit, send, onDone }: StepFormProps) {
  const [answers, setAnswers] = useState<StepAnswers>(
    Object.fromEntries(questions.map((one) => [one.name, one.initial])),
  );
  const write = useWrite();
  const fault = questions.map((one) => one.fault?.(answers[one.name] ?? '')).find((one) => one !== undefined);
  const begin = (event: FormEvent) => {
    event.preventDefault();
    if (fault === undefined && !write.isBusy) write.run((options) => send({ handle: '', ...answers }, options), onDone);
  };
  const answer = (name: string, value: string) => setAnswers({ ...answers, [name]: value });
  return (
    <form onSubmit={begin}>
      {questions.map((question, at) => (
        <QuestionField
          key={question.name}
          question={question}
          value={answers[question.name] ?? ''}
          isFirst={at === 0}
          onChange={(value) => answer(question.name, value)}
        />
      ))}
      {fault !== undefined && <p className="error">{fault}</p>}
      <WriteStatus write={write} client={client} onDone={onDone} />
      <button type="submit" className="primary">
        {submit}
      </button>
    </form>
  );
}

interface QuestionFieldProps {
  readonly question: StepQuestion;
  readonly value: string;
  readonly isFirst: boolean;
  readonly onChange: (value: string) => void;
}

function QuestionField({ question: { label, about, values }, value, isFirst, onChange }: QuestionFieldProps) {
  const id = useId();
  if (values === undefined) {
    return (
      <Field
        label={label}
        about={about}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={isFirst}
        required
      />
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {values.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {about && <p>{about}</p>}
    </div>
  );
}
