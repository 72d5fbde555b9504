import { decodeBase64, type Suite } from '@countersign/protocol';
import {
  acceptCheckpoint,
  type Checkpoint,
  LogError,
  type NoteKey,
  noteKey,
  openCheckpoint,
  type Policy,
  parseCheckpoint,
  parseNote,
} from '@countersign/protocol/log';

/** A signed checkpoint, and what it is called in findings. */
export interface HeldCheckpoint {
  readonly name: string;
  readonly text: string;
}

/** Tells of a checkpoint that cannot be taken. */
export type Refuse = (detail: string) => void;

/** Reads checkpoints by the key of one ledger. */
export class CheckpointReader {
  constructor(
    /** The ledger's key, base64: unchecked. */
    private readonly system: string,
    private readonly suite: Suite,
    private readonly refuse: Refuse,
  ) {}

  /** A checkpoint that the ledger has signed for the log of this origin. */
  read({ name, text }: HeldCheckpoint, origin: string): Checkpoint | undefined {
    return this.#taken(name, () => openCheckpoint(text, this.#keys(origin), this.suite).checkpoint);
  }

  /** The origin that it names, unchecked. */
  originOf(held: HeldCheckpoint): string | undefined {
    return parseUnchecked(held)?.origin;
  }

  /** The size of the tree that it names, unchecked. */
  sizeOf(held: HeldCheckpoint): number | undefined {
    return parseUnchecked(held)?.size;
  }

  /** One that the ledger has signed for the log that it names itself. */
  readOwn({ name, text }: HeldCheckpoint): Checkpoint | undefined {
    return this.#taken(name, () => {
      const { origin } = parseCheckpoint(parseNote(text).text);
      return openCheckpoint(text, this.#keys(origin), this.suite).checkpoint;
    });
  }

  /** @returns the names of the witnesses, where the policy takes the checkpoint */
  accept({ name, text }: HeldCheckpoint, policy: Policy): string[] | undefined {
    return this.#taken(name, () => [...acceptCheckpoint(text, policy, this.suite).witnesses.keys()]);
  }

  #keys(origin: string): NoteKey[] {
    const bytes = decodeBase64(this.system);
    return bytes?.length === 32 ? [noteKey(origin, 'note', bytes)] : [];
  }

  #taken<T>(name: string, take: () => T): T | undefined {
    try {
      return take();
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      this.refuse(`${name} is not to be taken: ${error.detail}`);
      return undefined;
    }
  }
}

function parseUnchecked({ text }: HeldCheckpoint): Checkpoint | undefined {
  try {
    return parseCheckpoint(parseNote(text).text);
  } catch {
    return undefined;
  }
}
