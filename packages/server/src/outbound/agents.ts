import { Agent, buildConnector } from 'undici';
import { LruCache } from '../base/lru-cache.js';
import { limits } from '../limits.js';
import { isPublic } from './addresses.js';
import { type ClientCertificate, certificateId, secureContextOf } from './client-certificate.js';
import { makeGuardedConnector, type TlsOptions } from './guarded.js';

export interface AgentOptions {
  /** Lets calls lead to addresses that are not of the public Internet too. */
  readonly allowPrivate: boolean;
  /** How many origins there are connections to at a time, without a certificate. */
  readonly origins: number;
  /** How many certificates there are connections with. */
  readonly certificates: number;
  /** PEM of the authorities that services are verified by; those of Node.js unless given. */
  readonly ca?: string;
}

/** The connections of a process to services outside. Those with a client certificate are kept apart, for each by itself. */
export interface Agents {
  /**
   * The connections for calls of a ledger. They may be closed by the next turn of the event loop, so a call begins at once.
   *
   * @throws UnusableCertificate
   */
  take(ledger: number, certificate?: ClientCertificate): Agent;
  /** Closes all connections when the calls under way have ended. */
  close(): Promise<void>;
}

export function createAgents({ allowPrivate, origins, certificates, ca }: AgentOptions): Agents {
  const { connect: timeout, connections, total, answer, idle } = limits.outbound;
  const make = (maxOrigins: number, tls: TlsOptions) =>
    new Agent({
      connect: allowPrivate
        ? buildConnector({ timeout, ...tls })
        : makeGuardedConnector(timeout, isPublic, undefined, tls),
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
  const plain = make(origins, ca === undefined ? {} : { ca });
  const open = new Set<Agent>([plain]);
  const closing = new Set<Promise<void>>();
  const letGo = (agent: Agent) => {
    open.delete(agent);
    const closed = agent.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const withCertificate = new LruCache<string, Agent>(certificates, undefined, undefined, letGo);
  return {
    take(ledger, certificate) {
      if (!certificate) return plain;
      return withCertificate.take(certificateId(ledger, certificate), () => {
        const agent = make(limits.certificates.origins, { secureContext: secureContextOf(certificate, ca) });
        open.add(agent);
        return agent;
      });
    },
    async close() {
      for (const agent of [...open]) letGo(agent);
      await Promise.all(closing);
    },
  };
}
