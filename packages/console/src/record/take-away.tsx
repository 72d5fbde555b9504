import { decodeBase64 } from '@countersign/protocol';
import { formatVkey, noteKey } from '@countersign/protocol/log';
import { type KindDescription, pathOf } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { recordText } from '../text/record.js';
import { Command, quote } from '../ui/command.js';
import { download } from '../ui/download.js';
import type { Sealed } from './use-sealed.js';

const { take: texts } = recordText;

interface TakeAwayProps {
  readonly kind: KindDescription;
  readonly id: string;
  readonly parent: string | undefined;
  readonly change: number | undefined;
  readonly sealed: Sealed | undefined;
}

/** The same by other means: the command, curl, and files that prove it without a server. */
export function TakeAway({ kind, id, parent, change, sealed }: TakeAwayProps) {
  const { server, name, pin } = useLedger();
  const isOnly = !kind.item.includes('{id}');
  const ids = isOnly ? [] : [...(parent === undefined ? [] : [parent]), id];
  const command = `countersign ${kind.record} show ${[...ids.map(quote), '--server', quote(server), '--ledger', quote(name)].join(' ')}`;
  const curl = `curl -sf -H ${quote(`x-ledger: ${name}`)} ${quote(server + pathOf(kind, id, parent))}`;
  return (
    <section aria-labelledby="take-title">
      <h2 id="take-title">{texts.title}</h2>
      <Command label={texts.command} value={command} />
      <Command label={texts.curl} value={curl} />
      <p className="hint">{texts.anonymous}</p>
      {sealed?.state === 'sealed' && change !== undefined && (
        <>
          <p>{texts.proofAbout}</p>
          <Command label={texts.proof} value={verifyCommand(sealed, pin.key, change)} />
          <p className="buttons">
            <button type="button" onClick={() => download('record.json', sealed.text, 'application/json')}>
              {texts.text}
            </button>
            <button type="button" onClick={() => download('record.proof', sealed.proof)}>
              {texts.file}
            </button>
          </p>
        </>
      )}
    </section>
  );
}

function verifyCommand(sealed: Extract<Sealed, { state: 'sealed' }>, key: string, change: number): string {
  const vkey = formatVkey(noteKey(sealed.verdict.origin, 'note', decodeBase64(key) ?? new Uint8Array(32)));
  return `countersign verify record.json --proof record.proof --change ${change} --vkey ${quote(vkey)}`;
}
