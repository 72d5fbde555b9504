/** A version of a record. No other has its luid and number, and it never changes: it may be kept as long as one likes. */
export interface Version {
  readonly luid: string;
  readonly change: number;
  /** As it is served. */
  readonly body: string;
}

/** A version whose body was not fetched where others before it took the room. */
export interface Sized {
  readonly luid: string;
  readonly change: number;
  /** Bytes of its body. */
  readonly size: number;
  readonly body: string | null;
}
