import { decodeBase64 } from '@countersign/protocol';
import { type FormEvent, useId, useState } from 'react';
import { text } from '../text/en.js';
import { Field } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { type Identity, identityOfKept } from './identity.js';
import { keepKey } from './kept-keys.js';
import { isSealed, KeyFileError, openKeyFile } from './key-file.js';

/** Bytes of a file that is read: a key has some hundreds. */
const MOST_BYTES = 16_384;

/** Opens a key file with its password; the key is forgotten when the page is closed, unless it is to be kept. */
export function KeyFileForm({ use }: { readonly use: (identity: Identity) => void }) {
  const id = useId();
  const [file, setFile] = useState('');
  const [password, setPassword] = useState('');
  const [isToKeep, keep] = useState(false);
  const [isOpening, setOpening] = useState(false);
  const [fault, setFault] = useState<string>();
  const open = async (event: FormEvent) => {
    event.preventDefault();
    setOpening(true);
    setFault(undefined);
    try {
      use(await identityOfFile(file, password, isToKeep));
    } catch (error) {
      setFault(error instanceof KeyFileError ? text.identity.faults[error.fault] : text.identity.noEd25519);
    } finally {
      setOpening(false);
      setPassword('');
    }
  };
  const read = async (chosen: File | undefined) => setFile(chosen ? await chosen.slice(0, MOST_BYTES).text() : '');
  return (
    <form onSubmit={open}>
      <div className="field">
        <label htmlFor={id}>{text.identity.fileChoose}</label>
        <input id={id} type="file" required onChange={(event) => void read(event.target.files?.[0])} />
      </div>
      {(file === '' || isSealed(file)) && (
        <Field
          label={text.identity.password}
          type="password"
          autoComplete="off"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
      <label className="check">
        <input type="checkbox" checked={isToKeep} onChange={(event) => keep(event.target.checked)} />{' '}
        {text.identity.keep}
      </label>
      {fault !== undefined && <Notice tone="warn" title={fault} />}
      <button type="submit" className="primary" disabled={isOpening}>
        {isOpening ? text.identity.opening : text.identity.openFile}
      </button>
    </form>
  );
}

async function identityOfFile(file: string, password: string, isToKeep: boolean): Promise<Identity> {
  const { name, signer, pkcs8 } = await openKeyFile(file, password);
  if (!isToKeep) return { kind: 'key', name, signer };
  return identityOfKept(await keepKey(name, pkcs8, decodeBase64(signer.public) as Uint8Array));
}
