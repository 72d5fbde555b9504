import type { SecureContext } from 'node:tls';
import { Agent } from 'undici';
import { LruCache } from '../base/lru-cache.js';
import { UnusableKey } from '../untrusted-keys/unusable-key.js';
import { type ClientCertificate, certificateId, secureContextOf } from './client-certificate.js';
import { type Guard, makeGuardedConnector, type ResolveName } from './guarded-connector.js';
import type { Handshakes } from './handshakes.js';
import { type OpenSockets, openSockets } from './open-sockets.js';
import { certificateLimits, outboundLimits } from './outbound-limits.js';
import { makeSecureConnector, makeSecureContext } from './tls.js';
import type { Trials } from './trials.js';

export interface AgentOptions {
  /** Lets calls lead to addresses that are not of the public Internet too. */
  readonly allowPrivate: boolean;
  /** How many origins one ledger has connections to at a time, without a certificate. */
  readonly origins: number;
  /** How many certificates there are connections with. */
  readonly certificates: number;
  /** PEM of the authorities that services are verified by; those of Node.js unless given. */
  readonly ca?: string;
  readonly guard?: Guard;
  /** Connections of one ledger to one origin; `outboundLimits.connections` unless given. */
  readonly connections?: number;
  /** Milliseconds that an idle connection is kept; `outboundLimits.idle` unless given. */
  readonly idle?: number;
  /** Bounds the connections of all ledgers together; `outboundLimits.sockets` of the process unless given. */
  readonly sockets?: OpenSockets;
}

/** What connections are made with. The guard may resolve names in place of `lookup`. */
interface ConnectionDeps {
  readonly lookup: ResolveName;
  readonly handshakes: Handshakes;
  readonly trials: Trials;
}

/**
 * The connections of a process to services outside: those of each ledger by themselves, so that none waits for what another has
 * under way with the same host; and those with each client certificate.
 */
export function createAgents(options: AgentOptions, { lookup, handshakes, trials }: ConnectionDeps) {
  const { allowPrivate, origins, certificates, ca, guard, connections = outboundLimits.connections } = options;
  const { sockets = openSockets, idle = outboundLimits.idle } = options;
  const { connect: timeout, total, answer } = outboundLimits;
  const allowed = allowPrivate ? () => true : guard?.allowed;
  const resolver = (!allowPrivate && guard?.resolver) || lookup;
  const connect = makeGuardedConnector(timeout, allowed, resolver);
  const make = (ledger: number, maxOrigins: number, secureContext: SecureContext) =>
    new Agent({
      connect: sockets.count(makeSecureConnector(connect, handshakes, ledger, { timeout, secureContext }, trials)),
      connections,
      maxOrigins,
      pipelining: 1,
      keepAliveTimeout: idle,
      // Else whoever answers says how long, up to ten minutes.
      keepAliveMaxTimeout: idle,
      headersTimeout: total,
      bodyTimeout: total,
      maxResponseSize: answer,
    });
  const plain = makeSecureContext({ ca });
  const open = new Set<Agent>();
  const closing = new Set<Promise<void>>();
  const letGo = (agent: Agent) => {
    open.delete(agent);
    const closed = agent.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const withCertificate = new LruCache<string, Agent>(certificates, undefined, undefined, letGo);
  const refused = new LruCache<string, UnusableKey>(certificateLimits.refused);
  const ofLedgers = new LruCache<number, Agent>(outboundLimits.ledgers, undefined, undefined, letGo);
  const opened = (agent: Agent) => {
    open.add(agent);
    return agent;
  };
  const agentWith = (ledger: number, certificate: ClientCertificate, id: string) => {
    try {
      return opened(make(ledger, certificateLimits.origins, secureContextOf(certificate, ca)));
    } catch (error) {
      if (error instanceof UnusableKey) refused.set(id, error);
      throw error;
    }
  };
  return {
    /**
     * The connections for calls of a ledger. They may be closed by the next turn of the event loop, so a call begins at once.
     *
     * @throws UnusableKey
     */
    take(ledger: number, certificate?: ClientCertificate): Agent {
      if (!certificate) return ofLedgers.getOrSet(ledger, () => opened(make(ledger, origins, plain)));
      const id = certificateId(ledger, certificate);
      const known = refused.get(id);
      if (known) throw known;
      return withCertificate.getOrSet(id, () => agentWith(ledger, certificate, id));
    },
    /** Closes all connections when the calls under way have ended. */
    async close(): Promise<void> {
      for (const agent of [...open]) letGo(agent);
      await Promise.all(closing);
    },
  };
}
