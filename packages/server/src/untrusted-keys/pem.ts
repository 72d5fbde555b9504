/** A block of PEM (RFC 7468). */
export interface PemBlock {
  /** As `PRIVATE KEY`. */
  readonly label: string;
  /** What stands between its lines `BEGIN` and `END`. */
  readonly text: string;
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';

/** The blocks of a text, in order; other text around them is passed over. What follows a block without end is left out. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let begin = text.indexOf(BEGIN); begin !== -1; ) {
    const named = begin + BEGIN.length;
    const label = text.slice(named, text.indexOf(DASHES, named));
    const start = named + label.length + DASHES.length;
    const last = `${DASHES}END ${label}${DASHES}`;
    const end = text.indexOf(last, start);
    if (end === -1) break;
    blocks.push({ label, text: text.slice(start, end) });
    begin = text.indexOf(BEGIN, end + last.length);
  }
  return blocks;
}

/** The bytes of a block; undefined unless it is base64 and nothing else. */
export function bytesOfPem({ text }: PemBlock): Buffer | undefined {
  const base64 = text.replace(/\s+/g, '');
  const isWhole = base64.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  return isWhole ? Buffer.from(base64, 'base64') : undefined;
}

/** The bytes as PEM with this label. */
export function toPem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `${BEGIN}${label}${DASHES}\n${lines.join('\n')}\n${DASHES}END ${label}${DASHES}\n`;
}
