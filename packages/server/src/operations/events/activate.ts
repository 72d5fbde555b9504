import type { Operation } from '../operation.js';
import { performRetry, retryEvents } from './retry.js';

/**
 * The operation `activate`: `POST /effects/{id}/activate`, the retry of older clients, for which rules grant an action of its
 * own (interface/effects#retry).
 */
export const activateEvents: Operation = {
  ...retryEvents,
  name: 'activate',
  routes: () => [{ method: 'POST', of: 'record', path: '/activate' }],
  perform: (session, kind, command) => performRetry(session, kind, command, 'activate'),
  description: {
    ...retryEvents.description,
    id: (one) => `activate${one}`,
    summary: (one) => `Send deliveries of ${one} again, as older clients ask for it`,
  },
};
