import { type ReactNode, useEffect, useRef } from 'react';

/** Something new that must be read: it is read out, and comes into sight. */
export function InSight({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Some browsers give a promise, which is no clean-up of an effect.
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div role="alert" ref={place}>
      {children}
    </div>
  );
}
