import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly body: () => ReactNode;
}

const TAB_STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Several views of one thing; arrow keys go from tab to tab (WAI-ARIA's pattern of tabs). */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const [chosen, choose] = useState(tabs[0]?.id);
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0];
  const move = (event: KeyboardEvent) => {
    const step = TAB_STEPS[event.key];
    if (step === undefined || current === undefined) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length] as Tab;
    choose(next.id);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${base}-${next.id}`)}`)?.focus();
  };
  return (
    <div className="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ id, label: name }) => (
          <button
            key={id}
            id={`${base}-${id}`}
            type="button"
            role="tab"
            aria-selected={id === current?.id}
            aria-controls={`${base}-panel`}
            tabIndex={id === current?.id ? 0 : -1}
            onClick={() => choose(id)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={`${base}-${current?.id}`}>
        {current?.body()}
      </div>
    </div>
  );
}
