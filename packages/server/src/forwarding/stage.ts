import type { Subject } from '../access/context.js';
import { inSession, openSession, type Session } from '../ledgers/session.js';
import type { Basis, Handover, HandoverAction, HandoverStage, ListHandover, Stages } from '../operations/stage.js';
import { aspectsFor, declares, onlyOne } from './aspect.js';
import { attributeRefusal } from './attribution.js';
import { type Forwarding, HandoverToBridge, handOver } from './call.js';
import { answerDrop, forwardDrop } from './drop.js';
import { BridgeRefusal } from './error.js';
import { forwardPage, forwardRead } from './read.js';
import { forwardProof, proxyProof } from './sign.js';
import { aspectOf, type ForwardingTarget, findForwarding, makeBridgeSubject } from './target.js';
import { forwardVersion, proxyVersion } from './version.js';

/**
 * Decides, asks the bridge, and decides again on its answer: calls are made between sessions (interface/forwarding). A
 * write that only the bridge keeps is decided once, since the bridge has done it by then (`answerFromBridge`).
 */
export const stages: Stages = async (session, kind, command, work) => {
  const forwarding: Forwarding = { kind, command, asked: {} };
  /** The newest state that a session used: the next one begins with it. */
  let { ledger } = session;
  let given = session;
  /** What the last session made before it ended with a call; given to the next one. */
  let told: MadeValue | undefined;
  for (;;) {
    let made: MadeValue | undefined;
    try {
      return await inSession(openSession(given, ledger), async (current) => {
        ledger = current.ledger;
        const stage = stageOf(forwarding, told, (latest) => {
          made = latest;
        });
        try {
          return await (forwarding.answer ? forwarding.answer(current) : work(current, stage));
        } catch (error) {
          throw error instanceof BridgeRefusal ? await attributeRefusal(current, error) : error;
        }
      });
    } catch (error) {
      // Each step is sent once, so the loop ends.
      if (!(error instanceof HandoverToBridge)) throw error;
      told = made;
      await handOver(session, forwarding, error);
      if (error.call.method !== 'GET') given = { ...session, isForwarded: true };
    }
  }
};

/** What the ledger is about to store, and the basis it was made on. */
interface MadeValue {
  readonly basis: string;
  readonly value: unknown;
}

/** @param keep called with what is made */
function stageOf(forwarding: Forwarding, told: MadeValue | undefined, keep: (made: MadeValue) => void): HandoverStage {
  const { kind, command } = forwarding;
  const onlyAspect = ({ task, ledger }: Session, action: HandoverAction, subject?: Subject) =>
    onlyOne(aspectsFor(task, ledger, kind, action, command, subject));
  return {
    handsOver: ({ ledger }, action) => declares(ledger, kind, action),
    ofNew(session, subject) {
      const aspect = onlyAspect(session, 'create', subject);
      if (!aspect) return undefined;
      return handoverOf(forwarding, { aspects: [aspect], proxied: aspect.strategy === 'proxy', subject, id: '' });
    },
    ofRecord({ task, ledger }, action, found, data) {
      const target = findForwarding(task, ledger, forwarding, action, found, data);
      return target && handoverOf(forwarding, target);
    },
    ofList(session): ListHandover | undefined {
      const aspect = onlyAspect(session, 'query');
      if (!aspect) return undefined;
      return {
        proxied: aspect.strategy === 'proxy',
        page: (current, page, isSeen) =>
          forwardPage(current, forwarding, aspect, page, (data) =>
            isSeen(makeBridgeSubject(current.ledger, kind, data, 'data')),
          ),
      };
    },
    async once<T>({ ledger, assumedUnregistered: strangers }: Session, of: Basis, make: () => Promise<T>): Promise<T> {
      // What is made names the signers of its keys, so a key registered meanwhile is another basis.
      const basis = [ledger.version, of.luid, of.change, ...[...strangers].sort()].join(' ');
      const made = told?.basis === basis ? told : { basis, value: await make() };
      keep(made);
      return made.value as T;
    },
  };
}

function handoverOf(forwarding: Forwarding, target: ForwardingTarget): Handover {
  return {
    proxied: target.proxied,
    subject: target.subject,
    id: target.id,
    assertOneWay: () => void aspectOf(target),
    takeVersion: (session, version) => forwardVersion(session, forwarding, aspectOf(target), version),
    answerVersion: (session, version) => proxyVersion(session, forwarding, aspectOf(target), version),
    takeDrop: (session, sent, signed, caller) => forwardDrop(session, forwarding, target, sent, signed, caller),
    answerDrop: (session, sent, signed, caller) => answerDrop(session, forwarding, target, sent, signed, caller),
    takeProof: (session, record, proof) => forwardProof(session, forwarding, target, record, proof),
    answerProof: (session, sent, token) => proxyProof(session, forwarding, target, sent, token),
    answerRead: (session, token) => forwardRead(session, forwarding, target, token),
  };
}
