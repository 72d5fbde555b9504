import { useSyncExternalStore } from 'react';

/** How the page looks and tells time, as chosen on this machine. */
export interface Settings {
  readonly theme: 'system' | 'light' | 'dark';
  readonly times: 'local' | 'utc';
}

const NAME = 'countersign.settings';
const listeners = new Set<() => void>();
let settings: Settings = readSettings();

export function useSettings(): Settings {
  return useSyncExternalStore(listen, () => settings);
}

export function changeSettings(change: Partial<Settings>): void {
  settings = { ...settings, ...change };
  localStorage.setItem(NAME, `${settings.theme} ${settings.times}`);
  applyTheme();
  for (const listener of listeners) listener();
}

/** Tells the style sheets which theme was chosen. */
export function applyTheme(): void {
  document.documentElement.className = settings.theme === 'system' ? '' : settings.theme;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readSettings(): Settings {
  const [theme, times] = (localStorage.getItem(NAME) ?? '').split(' ');
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    times: times === 'utc' ? 'utc' : 'local',
  };
}
