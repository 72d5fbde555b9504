import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

/** An input with its label, and a sentence about it. */
export function Field({
  label,
  about,
  ...input
}: { readonly label: string; readonly about?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input dir="auto" id={id} aria-describedby={about ? `${id}-about` : undefined} {...input} />
      {about && <p id={`${id}-about`}>{about}</p>}
    </div>
  );
}
