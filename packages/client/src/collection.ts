import { collectText } from './bounded-text.js';
import type { Channel, UnsignedWrite } from './channel.js';
import { AnswerError, isRefusal } from './errors.js';
import { KINDS, type RecordName } from './generated/kinds.js';
import type {
  DropOptions,
  EraseOptions,
  GetOptions,
  ListOptions,
  ReadOptions,
  RetryOptions,
  SignedRequest,
  SignOptions,
  Stated,
  WriteOptions,
} from './options.js';
import type { Pages } from './pages.js';
import type { Signed, SignedList } from './shape.js';
import type { KnownBefore, WantedRecord } from './verify.js';

type RecordData = Record<string, unknown>;
type RecordTarget = Signed | string | undefined;

/** Times that an update by a function is made anew when others change the record. */
const UPDATES = 10;

/** Where the journal of a ledger is. */
const REQUESTS = '/system/requests';

/** The operations on records of one kind. Which of them a kind has is in its generated interface. */
export class Collection {
  readonly #channel: Channel;
  readonly #record: RecordName;
  readonly #parent: string | undefined;

  /** `parent` is the record above, of kinds that lie below others. */
  constructor(channel: Channel, record: RecordName, parent?: string) {
    this.#channel = channel;
    this.#record = record;
    this.#parent = parent;
  }

  create = async (data: RecordData, options: WriteOptions = {}): Promise<Signed> => {
    // The record above is in the path, and in the data.
    const [, above] = /\{(\w+)\}/.exec(KINDS[this.#record][1]) ?? [];
    const whole = above ? { [above]: this.#parent, ...data } : data;
    return (await this.#write('create', this.#collection(), whole, options)) as Signed;
  };

  list = (options: ListOptions<string> = {}): Pages<Signed> => {
    const isOutside = this.#record === 'ledger';
    return this.#pages(this.#collection(), options, (value, before) =>
      this.#channel.verifier.record(value, { record: this.#record, isOutside }, before),
    );
  };

  get = async (...args: unknown[]): Promise<Signed> => {
    const [id, options] = this.#named<GetOptions>(args);
    const query = options.include ? `?include=${options.include}` : '';
    return this.#channel.read(this.#item(id) + query, this.#expected(id), options);
  };

  update = async (
    target: RecordTarget,
    data: RecordData | ((data: RecordData) => RecordData),
    options: WriteOptions = {},
  ): Promise<Signed> => {
    for (let attempt = 1; ; attempt++) {
      const current = await this.#current(target, options);
      const { parent: _, ...before } = current.data;
      const made = typeof data === 'function' ? data(before) : data;
      try {
        const { luid, hash } = current;
        return (await this.#write('update', this.#item(luid), { ...made, parent: hash }, options, current)) as Signed;
      } catch (error) {
        const isOvertaken = isRefusal(error, 'crypto.parent-hash-invalid') && !error.mayBeDone;
        if (!isOvertaken || typeof data !== 'function' || attempt === UPDATES) throw error;
        target = typeof target === 'object' ? target.luid : target;
      }
    }
  };

  sign = async (target: RecordTarget, custom: Stated = {}, options: SignOptions = {}): Promise<Signed> => {
    const current = await this.#current(target, options);
    return (await this.#write(
      'sign',
      `${this.#item(current.luid)}/proofs`,
      {},
      { ...options, custom },
      current,
    )) as Signed;
  };

  drop = async (target: RecordTarget, options: DropOptions = {}): Promise<void> => {
    const current = await this.#current(target, options);
    const path = this.#item(current.luid);
    await this.#write('drop', `${path}/drop`, { parent: current.hash }, options, current);
    if (!options.confirm) return;
    const last = await this.history(current.luid, { limit: 1, ...options }).first();
    if (last?.meta.action !== 'drop') throw new AnswerError('record', 'The record was not dropped');
  };

  erase = async (target: Signed | string, reason: string, options: EraseOptions = {}): Promise<Signed> => {
    const id = typeof target === 'object' ? target.luid : target;
    const { signal } = options;
    let { change } = options;
    if (change === undefined) {
      const last = (await this.history(id, { limit: 1, signal }).first()) as Signed;
      // It is done already, and done once.
      if (last.meta.action === 'erase') return last;
      change = last.meta.change as number;
    }
    const data = { luid: id, change, reason };
    return (await this.#write('erase', `${this.#item(id)}/erase`, data, options, { luid: id })) as Signed;
  };

  history = (...args: unknown[]): Pages<Signed> => {
    const [id, options] = this.#named<ListOptions<string>>(args);
    return this.#channel.history(this.#item(id), this.#expected(id), options);
  };

  change = async (...args: unknown[]): Promise<Signed> => {
    const [id, change, options] = this.#record === 'ledger' ? [undefined, ...args] : args;
    const expected = { ...this.#expected(id as string), isVersion: true };
    const path = `${this.#item(id as string)}/changes/${change}`;
    const version = await this.#channel.read(path, expected, options as ReadOptions);
    if (version.meta.change !== change) throw new AnswerError('record', `The version is not ${change}`);
    return version;
  };

  /**
   * A version as it was served after its change, byte for byte: what its leaf in the log commits to (interface/log#the-leaf).
   * Its data and proofs are those of the version.
   */
  changeText = async (...args: unknown[]): Promise<string> => {
    const [id, change, options = {}] = this.#record === 'ledger' ? [undefined, ...args] : args;
    const version = await this.change(...args);
    const path = `${this.#item(id as string)}/changes/${change}`;
    const before = this.#channel.verifier.before(this.#record);
    const call = { method: 'GET', path, isFile: true, accept: 'text/plain', ...(options as ReadOptions) };
    const { response } = await this.#channel.ask(call, before);
    const text = await collectText(response, this.#channel.environment.options.maxBytes);
    if (!this.#channel.verifier.isTextOf(text, version))
      throw new AnswerError('record', 'The text is of another version');
    return text;
  };

  inclusion = async (...args: unknown[]): Promise<unknown> => {
    const [id, change, options] = this.#record === 'ledger' ? [undefined, ...args] : args;
    return this.#said(`${this.#item(id as string)}/changes/${change}/inclusion`, options as ReadOptions);
  };

  log = (options?: ReadOptions): Promise<unknown> => this.#said(`${this.#item(undefined)}/log`, options);

  consistency = (from: number, to?: number, options?: ReadOptions): Promise<unknown> => {
    return this.#said(
      `${this.#item(undefined)}/log/consistency?from=${from}${to === undefined ? '' : `&to=${to}`}`,
      options,
    );
  };

  check = async (...args: unknown[]): Promise<unknown[]> => {
    const [id, action, options = {}] = this.#record === 'ledger' ? [undefined, ...args] : args;
    const { record, ...others } = options as WriteOptions & { record?: string };
    const data = { action, ...(record ? { record } : {}) };
    const list = await this.#write('check', `${this.#item(id as string)}/access/!check`, data, others);
    return [...(list as SignedList).data];
  };

  anchors = (address: string, options?: ReadOptions): Promise<readonly unknown[]> => {
    return this.#found(`${this.#item(address)}/anchors`, options);
  };

  domains = (address: string, options?: ReadOptions): Promise<readonly unknown[]> => {
    return this.#found(`${this.#item(address)}/domains`, options);
  };

  lookup = async (address: string, data: RecordData = {}, options: WriteOptions = {}): Promise<readonly unknown[]> => {
    const path = `${this.#item(address)}/anchors/!lookup`;
    return ((await this.#write('lookup', path, { ...data, wallet: address }, options)) as SignedList).data;
  };

  balances = (id: string, options: ListOptions<string> = {}): Pages<unknown> => {
    // A balance has no hash of its own; the list is signed.
    return this.#pages(`${this.#item(id)}/balances`, options, async (value) => value);
  };

  limits = (id: string, options: ListOptions<string> = {}): Pages<unknown> => {
    return this.#pages(`${this.#item(id)}/limits`, options, (value) => this.#channel.verifier.item(value));
  };

  events = (id: string, options: ListOptions<string> = {}): Pages<unknown> => {
    return this.#pages(`${this.#item(id)}/events`, options, (value) => this.#channel.verifier.delivery(value));
  };

  event = async (id: string, event: string, options: ReadOptions = {}): Promise<unknown> => {
    const path = `${this.#item(id)}/events/${segment(event)}`;
    const { body } = await this.#channel.ask(
      { method: 'GET', path, ...options },
      this.#channel.verifier.before('effect'),
    );
    return this.#channel.verifier.delivery(body, event);
  };

  requests = (options: ListOptions<string> = {}): Pages<unknown> => {
    return this.#pages(REQUESTS, options, (value) => this.#channel.verifier.item(value));
  };

  request = (id: string, options?: ReadOptions): Promise<unknown> => this.#said(`${REQUESTS}/${segment(id)}`, options);

  retry = async (id: string, { event, maxAge, ...options }: RetryOptions = {}): Promise<void> => {
    const data = { handle: event, maxAge };
    await this.#write('retry', `${this.#item(id)}/events/retry`, data, options);
  };

  asset = async (id: string, asset: string, options: ReadOptions = {}): Promise<Response> => {
    const path = `${this.#item(id)}/assets/${segment(asset)}`;
    const call = { method: 'GET', path, isFile: true, ...options };
    return (await this.#channel.ask(call, this.#channel.verifier.before('report'))).response;
  };

  #write(
    operation: SignedRequest['operation'],
    path: string,
    data: RecordData,
    options: WriteOptions,
    current?: UnsignedWrite['current'],
  ): Promise<unknown> {
    return this.#channel.write({ record: this.#record, operation, path, data, current }, options);
  }

  /** The record that is meant: as it was read before, or as it is now. */
  async #current(target: RecordTarget, { signal }: ReadOptions): Promise<Signed> {
    if (typeof target === 'object') return target;
    return target === undefined ? this.get({ signal }) : this.get(target, { signal });
  }

  /** What the ledger says and signs that is no record. */
  async #said(path: string, options: ReadOptions = {}): Promise<unknown> {
    const before = this.#channel.verifier.before(this.#record);
    const { body } = await this.#channel.ask({ method: 'GET', path, ...options }, before);
    return this.#channel.verifier.item(body);
  }

  /** Anchors or domains, where some are those of a bridge: the ledger signs them as a list. */
  async #found(path: string, options: ReadOptions = {}): Promise<readonly unknown[]> {
    const before = this.#channel.verifier.before('wallet');
    const { body } = await this.#channel.ask({ method: 'GET', path, ...options }, before);
    return (await this.#channel.verifier.list(body, before)).data;
  }

  #pages<Item>(
    path: string,
    options: ListOptions<string>,
    judge: (value: unknown, before: KnownBefore) => Promise<Item>,
  ): Pages<Item> {
    return this.#channel.pages(this.#record, path, options, judge);
  }

  /** A ledger has no id: its record is that of the ledger that is asked. */
  #named<Options>(args: readonly unknown[]): [string | undefined, Options] {
    const [id, options = {}] = this.#record === 'ledger' ? [undefined, ...args] : args;
    return [id as string | undefined, options as Options];
  }

  #expected(id: string | undefined): WantedRecord {
    return { record: this.#record, id };
  }

  /** Where records of the kind are made and listed. */
  #collection(): string {
    return this.#filled(KINDS[this.#record][1]);
  }

  #item(id: string | undefined): string {
    return this.#filled(KINDS[this.#record][2], id);
  }

  #filled(path: string, id?: string): string {
    return path.replace(/\{(\w+)\}/g, (_, name) => segment(name === 'id' ? id : this.#parent));
  }
}

/** A name as one step of a path: none that leads elsewhere. */
function segment(name: string | undefined): string {
  if (!name || /^\.+$/.test(name)) throw new TypeError(`'${name}' is not a handle or luid`);
  return encodeURIComponent(name);
}
