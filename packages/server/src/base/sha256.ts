import { hash } from 'node:crypto';
import type { Sha256 } from '@countersign/protocol/log';

/** SHA-256 by Node.js, without an object for each hash. */
export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');
