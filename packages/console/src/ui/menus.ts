import { useEffect } from 'react';

/** Closes menus that are open when something else is pressed or gets the focus, or Escape. */
export function useMenus(): void {
  useEffect(() => {
    const open = () => [...document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')];
    const leave = ({ target }: Event) => {
      for (const menu of open()) if (!menu.contains(target as Node)) menu.open = false;
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      for (const menu of open()) {
        menu.open = false;
        menu.querySelector('summary')?.focus();
      }
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    document.addEventListener('keydown', key);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
      document.removeEventListener('keydown', key);
    };
  }, []);
}
