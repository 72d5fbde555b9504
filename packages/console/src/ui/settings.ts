import { useSyncExternalStore } from 'react';

/** How the page looks and tells time, as chosen on this machine. */
export interface Settings {
  readonly theme: 'system' | 'light' | 'dark';
  readonly times: 'local' | 'utc';
}

const SETTINGS_NAME = 'countersign.settings';
const settingsListeners = new Set<() => void>();
let settings: Settings = readSettings();

export function useSettings(): Settings {
  return useSyncExternalStore(listenToSettings, () => settings);
}

export function changeSettings(change: Partial<Settings>): void {
  settings = { ...settings, ...change };
  localStorage.setItem(SETTINGS_NAME, `${settings.theme} ${settings.times}`);
  applyTheme();
  for (const listener of settingsListeners) listener();
}

/** Tells the style sheets which theme was chosen. */
export function applyTheme(): void {
  document.documentElement.className = settings.theme === 'system' ? '' : settings.theme;
}

function listenToSettings(listener: () => void): () => void {
  settingsListeners.add(listener);
  return () => settingsListeners.delete(listener);
}

function readSettings(): Settings {
  const [theme, times] = (localStorage.getItem(SETTINGS_NAME) ?? '').split(' ');
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    times: times === 'utc' ? 'utc' : 'local',
  };
}
