import { isObject } from '@countersign/protocol';
import { Type } from 'typebox';
import { common, dataLimits, Free, Handle, oneOfNames, strictObject, unionOf } from './data.js';
import type { KindDeclaration } from './declaration.js';
import { checkEffectFilter } from './effects/filter.js';
import { checkPaths } from './effects/paths.js';
import { requireHttpUrl } from './refusal.js';

// `schema` may be left out: the other member identifies the form (interface/effects#fields).
const Webhook = strictObject({
  schema: Type.Optional(oneOfNames(['webhook'])),
  endpoint: Type.String({ maxLength: dataLimits.url }),
});
const ToBridge = strictObject({ schema: Type.Optional(oneOfNames(['bridge'])), bridge: Handle });

/** A subscription: deliver each occurrence of a signal to a webhook or bridge (interface/effects). */
export const effect: KindDeclaration = {
  name: 'effect',
  about: 'A subscription: what happens on the ledger is sent to a service outside.',
  title: 'Effect',
  missing: 'Effect',
  prefix: 'eff',
  path: 'effects',
  data: {
    shape: ({ signals }) =>
      strictObject({
        handle: Handle,
        signal: oneOfNames(signals),
        filter: Type.Optional(Free),
        action: unionOf([Webhook, ToBridge]),
        ...common,
      }),
    order: ['handle', 'schema', 'signal', 'filter', 'action', 'custom', 'access'],
    schemas: 'applied',
    check(data) {
      if (isObject(data.filter)) {
        checkEffectFilter(data.filter);
        checkPaths(data.filter, String(data.signal));
      }
      if (isObject(data.action)) requireHttpUrl('/data/action/endpoint', data.action.endpoint);
    },
    essence: ['signal'],
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    erasable: 'dropped',
    signals: ['effect-created', 'effect-updated', 'effect-proofs-added', 'effect-dropped'],
    subscribable: ['effect-created', 'effect-proofs-added', 'effect-updated', 'effect-dropped'],
    deliveries: 'effect',
  },
  access: { bumpsRules: 'always', part: 'effects', freeNames: true },
};
