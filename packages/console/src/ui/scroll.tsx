import type { ReactNode, Ref } from 'react';

interface ScrollProps {
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
  readonly box?: Ref<HTMLDivElement>;
  /** The id of what is said about it. */
  readonly about?: string;
}

/** What may be larger than its place: it scrolls, and is reached by the keyboard. */
export function Scroll({ label, className, children, box, about }: ScrollProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: it is no part of a form
    <div className={className} role="group" aria-label={label} aria-describedby={about} tabIndex={0} ref={box}>
      {children}
    </div>
  );
}
