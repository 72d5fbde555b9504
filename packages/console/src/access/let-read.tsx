import type { Signed } from '@countersign/client';
import type { JsonObject } from '@countersign/protocol';
import { type FormEvent, useState } from 'react';
import { CreateLink } from '../forms/links.js';
import { useWrite } from '../forms/use-write.js';
import { WriteStatus } from '../forms/write-status.js';
import { useLedger } from '../session/context.js';
import { openingOf, queries } from '../session/queries.js';
import { askToSignIn } from '../session/sign-in-asked.js';
import { accessText } from '../text/access.js';
import { text } from '../text/en.js';
import { Notice } from '../ui/notice.js';
import { KeyField } from './key-field.js';
import { isPolicyBased } from './rules.js';

/** Actions of whoever may look at everything, and change nothing. */
const READING = ['read', 'query', 'access'];

/** Lets a key read all of the ledger: for who was given an address, and is refused. */
export function LetRead() {
  const { record } = useLedger();
  return isPolicyBased(record) ? <ByPolicies /> : <AddRule />;
}

/** Leads to what counts where rules of the ledger do not. */
function ByPolicies() {
  return (
    <Notice tone="plain" title={accessText.letRead.byPolicies}>
      <p>{accessText.letRead.byPoliciesAbout}</p>
      <p>
        <CreateLink kind="policy" parent={undefined} />
      </p>
    </Notice>
  );
}

/** Adds a rule to the ledger by which a key may read all of it. */
function AddRule() {
  const { client, identity, server, name } = useLedger();
  const [key, setKey] = useState('');
  const [isDone, setDone] = useState(false);
  const write = useWrite();
  if (identity.kind === 'nobody') {
    return (
      <p className="hint">
        {accessText.letRead.signIn}{' '}
        <button type="button" className="link" onClick={askToSignIn}>
          {text.identity.choose}
        </button>
      </p>
    );
  }
  const settle = (isMade: boolean) => {
    setDone(isMade);
    setKey('');
    // The rules of the record that is open are those of before.
    void queries.invalidateQueries({ queryKey: openingOf(server, name, identity).queryKey });
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (write.isBusy) return;
    setDone(false);
    const rule = readingRule(key.trim());
    write.run(async (options) => {
      try {
        await client.record.update(undefined, (data) => withRule(data, rule), options);
        return true;
      } catch (error) {
        if (!(error instanceof NoRulesCount)) throw error;
        return false;
      }
    }, settle);
  };
  return (
    <form className="ask" onSubmit={send}>
      <KeyField value={key} change={setKey} />
      <button type="submit">{accessText.letRead.submit}</button>
      <WriteStatus write={write} client={client} onDone={() => settle(true)} />
      {isDone && <Notice tone="good" title={accessText.letRead.done} />}
    </form>
  );
}

/** Thrown where a rule of the ledger would be stored, and let nobody in: it was made policy-based meanwhile. */
class NoRulesCount extends Error {}

/** The data of a ledger, as it is now, with one rule more. @throws NoRulesCount */
function withRule<Data extends Signed['data']>(data: Data, rule: JsonObject): Data {
  if (isPolicyBased({ data })) throw new NoRulesCount();
  const { access } = data;
  return { ...data, access: [...(Array.isArray(access) ? access : []), rule] };
}

function readingRule(publicKey: string): JsonObject {
  return { action: { $in: READING }, record: 'any', bearer: { $signer: { public: publicKey } } };
}
