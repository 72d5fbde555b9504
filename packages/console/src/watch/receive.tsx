import { useLedger } from '../session/context.js';
import { watchText } from '../text/watch.js';
import { Command, quote } from '../ui/command.js';

/** How to see on one's own machine what effects send. */
export function Receive() {
  const { server, name, pin } = useLedger();
  const key = quote(pin.key);
  const command = `countersign receive --server ${quote(server)} --ledger ${quote(name)} --key ${key}`;
  return (
    <details>
      <summary>{watchText.receive}</summary>
      <p>{watchText.receiveAbout}</p>
      <Command label={watchText.receive} value={command} />
      <p className="hint">{watchText.receiveHint}</p>
    </details>
  );
}
