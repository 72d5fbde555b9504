import { recordText } from '../text/record.js';
import { Code } from '../ui/copy.js';
import { Badge } from '../ui/notice.js';

/** What the record says beside what was computed here: where they differ, each character that differs is marked. */
export function Compare({ said, computed, label }: { said: string; computed: string; label: string }) {
  const lower = said.toLowerCase();
  if (lower === computed) {
    return (
      <>
        <Code value={computed} label={label} length={64} /> <Badge tone="good">✓ {recordText.steps.equal}</Badge>
      </>
    );
  }
  return (
    <dl className="compare">
      <dt>{recordText.steps.computed}</dt>
      <dd>
        <Marked text={computed} other={lower} />
      </dd>
      <dt>{recordText.steps.unequal}</dt>
      <dd>
        <Marked text={said.slice(0, 200)} other={computed} />
      </dd>
    </dl>
  );
}

function Marked({ text, other }: { readonly text: string; readonly other: string }) {
  return (
    <code>
      {[...text].map((one, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: characters stay in their places
        one.toLowerCase() === other[at] ? <span key={at}>{one}</span> : <mark key={at}>{one}</mark>,
      )}
    </code>
  );
}
