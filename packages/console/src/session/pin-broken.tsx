import { text } from '../text/en.js';
import { Plain } from '../ui/plain.js';
import { Time } from '../ui/time.js';
import { forgetPin, type PinBroken } from './pins.js';

/** The red page: both keys, and what to do. Nothing else of the ledger is shown. */
export function PinBrokenPage({ broken, onForgotten }: { broken: PinBroken; onForgotten: () => void }) {
  const { pin, shown } = broken;
  return (
    <section className="alarm" role="alert">
      <h1>{text.pin.title}</h1>
      <p>{text.pin.lead}</p>
      <dl>
        <dt>{text.pin.before}</dt>
        <dd>
          <code>{pin.key}</code> {text.pin.since} <Time moment={pin.seen} />
        </dd>
        <dt>{text.pin.now}</dt>
        <dd>{shown.key === undefined ? text.pin.nowUnknown : <code>{shown.key.slice(0, 100)}</code>}</dd>
        {shown.luid !== undefined && shown.luid !== pin.luid && (
          <>
            <dt>{text.pin.newLuid}</dt>
            <dd>
              <Plain value={String(shown.luid)} most={60} />
            </dd>
          </>
        )}
      </dl>
      <h2>{text.pin.todo}</h2>
      <ol>
        {text.pin.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <button
        type="button"
        onClick={() => {
          forgetPin(pin);
          onForgotten();
        }}
      >
        {text.pin.forget}
      </button>
    </section>
  );
}
