import { describe, expect, test } from 'vitest';
import { formatVkey, isQuorumMet, LOG_BOUNDS, parsePolicy } from '../../src/log/index.js';
import { log, otherLog, testKey, witnesses } from './support/keys.js';

const malformed = expect.objectContaining({ name: 'LogError', reason: 'malformed' });
const tooLong = expect.objectContaining({ name: 'LogError', reason: 'too-long' });

const logLine = `log ${formatVkey(log.key)}`;
const [w1, w2, w3] = witnesses.map(({ key }, at) => `witness w${at + 1} ${formatVkey(key)}`) as [
  string,
  string,
  string,
];
const all = [logLine, w1, w2, w3].join('\n');

describe('policies', () => {
  test('logs, witnesses, groups and a quorum, in spite of blanks and comments', () => {
    const policy = parsePolicy(
      `# of a test\n\n  ${logLine} https://log.example\n\t${w1}\thttps://w.example/ \n${w2}\n${w3}\n` +
        'group any1 any w1 w2\ngroup both all w2 w3\n   # more\ngroup top 2 any1 both w3\nquorum top\n',
    );
    expect(policy.logs).toEqual([log.key]);
    expect(policy.witnesses.get('w1')).toEqual({ key: witnesses[0]!.key, url: 'https://w.example/' });
    expect(policy.witnesses.get('w2')?.url).toBeUndefined();
    expect([...policy.groups]).toEqual([
      ['any1', { threshold: 1, members: ['w1', 'w2'] }],
      ['both', { threshold: 2, members: ['w2', 'w3'] }],
      ['top', { threshold: 2, members: ['any1', 'both', 'w3'] }],
    ]);
    expect(policy.quorum).toBe('top');
    expect(parsePolicy(new TextEncoder().encode(`${logLine}\nquorum none`))).toMatchObject({ quorum: undefined });
  });

  test('the quorum of every set of witnesses is counted as its definition says', () => {
    const names = ['w1', 'w2', 'w3'];
    for (const [statement, isEnough] of [
      ['group g any w1 w2 w3\nquorum g', (n: string[]) => n.length >= 1],
      ['group g 2 w1 w2 w3\nquorum g', (n: string[]) => n.length >= 2],
      ['group g all w1 w2 w3\nquorum g', (n: string[]) => n.length === 3],
      ['quorum w2', (n: string[]) => n.includes('w2')],
      ['quorum none', () => true],
      ['group a any w1 w2\ngroup b all a w3\nquorum b', (n: string[]) => n.includes('w3') && n.length >= 2],
    ] as const) {
      const policy = parsePolicy(`${all}\n${statement}\n`);
      for (let set = 0; set < 8; set++) {
        const cosigned = names.filter((_, at) => (set >> at) & 1);
        expect(isQuorumMet(policy, cosigned), `${statement}: ${cosigned}`).toBe(isEnough(cosigned));
        expect(isQuorumMet(policy, [...cosigned, ...cosigned, 'stranger'])).toBe(isEnough(cosigned));
      }
    }
  });

  test('the name of a group does not count as a cosignature', () => {
    const policy = parsePolicy(`${all}\ngroup g all w1 w2\nquorum g`);
    expect(isQuorumMet(policy, ['g'])).toBe(false);
  });

  test('others are refused', () => {
    const note = formatVkey(log.key);
    const cosignature = formatVkey(witnesses[0]!.key);
    for (const other of [
      '',
      all,
      `${all}\nquorum`,
      `${all}\nquorum w1 w2`,
      `${all}\nquorum w4`,
      `${all}\nquorum w1\nquorum w1`,
      `${all}\nquorum none\nquorum none`,
      `quorum w1\n${all}`,
      `${all}\nquorums w1`,
      `${all}\ntoString w1\nquorum none`,
      `${all}\n${logLine}\nquorum none`,
      `${all}\n${w1}\nquorum none`,
      `${all}\n${w1.replace('w1', 'w9')}\nquorum none`,
      `${w1} https://w.example more\nquorum none`,
      `log\nquorum none`,
      `log ${cosignature}\nquorum none`,
      `${logLine} https://log.example more\nquorum none`,
      `witness w1\nquorum none`,
      `witness w1 ${note}\nquorum none`,
      `witness none ${cosignature}\nquorum none`,
      `${all}\ngroup g\nquorum none`,
      `${all}\ngroup g 1\nquorum none`,
      ...['0', '3', '01', '-1', '1.5', 'none', 'ANY'].map((n) => `${all}\ngroup g ${n} w1 w2\nquorum none`),
      `${all}\ngroup g any w1 w1\nquorum none`,
      `${all}\ngroup g any g\nquorum none`,
      `${all}\ngroup g any w4\nquorum none`,
      `${all}\ngroup w1 any w1\nquorum none`,
      `${all}\ngroup none any w1\nquorum none`,
      `${all}\r\nquorum none`,
      `${all}\u0000\nquorum none`,
    ]) {
      expect(() => parsePolicy(other), other).toThrow(malformed);
    }
    expect(() => parsePolicy(Uint8Array.of(0xff))).toThrow(malformed);
  });

  test('one key of a witness under another name is refused, whatever its id', () => {
    const twin = testKey('another.example', 'cosignature', 3);
    expect(() => parsePolicy(`${all}\nwitness w4 ${formatVkey(twin.key)}\nquorum none`)).toThrow(malformed);
  });

  test('two logs, a thousand lines and 64 KiB are the bounds', () => {
    expect(parsePolicy(`${logLine}\nlog ${formatVkey(otherLog.key)}\nquorum none`).logs.length).toBe(2);
    const lines = (count: number) => `quorum none${'\n'.repeat(count - 1)}`;
    expect(parsePolicy(lines(LOG_BOUNDS.policyLines)).quorum).toBeUndefined();
    expect(() => parsePolicy(lines(LOG_BOUNDS.policyLines + 1))).toThrow(tooLong);
    const long = `quorum none\n#${'x'.repeat(LOG_BOUNDS.policy - 13)}`;
    expect(parsePolicy(long).logs).toEqual([]);
    expect(() => parsePolicy(`${long}x`)).toThrow(tooLong);
  });
});
