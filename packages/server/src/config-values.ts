import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type Policy, parsePolicy } from '@countersign/protocol/log';
import { handleLimits, isHandle } from './base/handle.js';

// The values of settings. Each function throws an Error whose message completes a sentence that begins with the setting's name.

export function parseUrl(text: string, example = 'https://ledger.example/v2'): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(text);
  if (!plain) {
    throw new Error(`must be an http or https address without user, query and fragment, such as ${example}`);
  }
  return text.replace(/\/+$/, '');
}

/** Origins of other servers that the console may ask; undefined for no console. */
export function parseConsole(text: string): readonly string[] | undefined {
  if (text === 'off') return undefined;
  if (text === 'on') return [];
  return text.split(',').map((part) => {
    const origin = part.trim().replace(/\/$/, '');
    const isOrigin =
      /^https?:\/\/[\w.:[\]-]+$/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
    if (isOrigin) return origin;
    throw new Error(`must be on, off, or origins such as https://ledger.example, not ${JSON.stringify(part.trim())}`);
  });
}

export function readPath(text: string): string {
  if (text.includes('\0')) throw new Error('must be a path');
  return resolve(text);
}

/** A policy whose witnesses all have an address. */
export function loadWitnessPolicy(path: string): Policy {
  let policy: Policy;
  try {
    policy = parsePolicy(readFileSync(path));
  } catch (error) {
    throw new Error(`names ${path}, which cannot be read: ${(error as Error).message}`);
  }
  if (policy.witnesses.size === 0) throw new Error(`names ${path}, which has no witness`);
  for (const [name, { url = '' }] of policy.witnesses) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new Error(`names ${path}, whose witness ${name} has no http or https address`);
    }
  }
  return policy;
}

export function parseInteger(text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most)) {
    throw new Error(`must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return number;
}

export function parsePort(text: string, form: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error(`must be ${form}, not ${JSON.stringify(text)}`);
  return port;
}

export function parseHost(text: string): string {
  if (isIP(text) === 0 && !/^[A-Za-z0-9._-]{1,253}$/.test(text)) {
    throw new Error(`must be an IP address or a host name, not ${JSON.stringify(text)}`);
  }
  return text;
}

export function parseProxies(text: string): string[] {
  const proxies = text.split(',').map((part) => part.trim());
  const wrong = proxies.find((proxy) => !isNetwork(proxy));
  if (wrong !== undefined) {
    throw new Error(
      `must be IP addresses or networks such as 10.0.0.0/8, separated by commas, not ${JSON.stringify(wrong)}`,
    );
  }
  return proxies;
}

function isNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128);
}

export function parseHandle(text: string): string {
  if (!isHandle(text)) {
    throw new Error(`must be a handle of at most ${handleLimits.characters} characters (letters, digits, _ - + .)`);
  }
  return text;
}

export function parseHandles(text: string, most: number): string[] {
  const handles = text.split(',').map((part) => part.trim());
  if (handles.length > most || !handles.every(isHandle))
    throw new Error(`must be at most ${most} handles (letters, digits, _ - + .), separated by commas`);
  return handles;
}
