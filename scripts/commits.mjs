import { spawnSync } from 'node:child_process';

/** Characters that `git log --oneline` and forges show of a subject. */
const MOST = 72;

/** Checked where `origin/main` is not known, as in a clone of one branch. */
const LATEST = 20;

/** The last commit before subjects were checked. */
const BEFORE = '188d2c751e3d4286a07319661848e51c9ee9407c';

/** Verbs that end like another form does. */
const IMPERATIVES = /^(bring|embed|feed|need|proceed|ring|seed|shed|sing|speed|spring|string|.*[su]s)$/;

const range = process.argv[2] === undefined ? rangeOfBranch() : [process.argv[2]];
const log = git('log', '--no-merges', '--format=%h %s', ...range);
const faults = log
  .split('\n')
  .filter((line) => line !== '')
  .flatMap((line) => {
    const [hash, ...words] = line.split(' ');
    const fault = faultOf(words.join(' '));
    return fault === undefined ? [] : [`${hash} "${words.join(' ')}": ${fault}`];
  });
for (const fault of faults) console.error(fault);
if (faults.length > 0) console.error('CONTRIBUTING.md says what the subject of a commit looks like.');
process.exitCode = faults.length === 0 ? 0 : 1;

/** The commits that `origin/main` has not; else the latest. Those from before the rule are left out. */
function rangeOfBranch() {
  const since = known(BEFORE) ? [`^${BEFORE}`] : [];
  return known('origin/main') ? ['HEAD', '^origin/main', ...since] : [`--max-count=${LATEST}`, 'HEAD', ...since];
}

function known(name) {
  return spawnSync('git', ['rev-parse', '--quiet', '--verify', `${name}^{commit}`]).status === 0;
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** What is wrong with a subject; nothing when it is `area: what it does`. */
function faultOf(subject) {
  if (subject.length > MOST) return `it has ${subject.length} characters, and at most ${MOST} are allowed`;
  const [, what] = /^[a-z][a-z0-9-]*: (\S.*)$/.exec(subject) ?? [];
  if (what === undefined) return 'it does not begin with an area: `access: refuse renames`';
  if (/^\p{Lu}/u.test(what)) return 'what it does begins with a capital';
  if (what.endsWith('.')) return 'it ends with a full stop';
  const [verb] = what.split(/[\s,]/);
  return isImperative(verb) ? undefined : `"${verb}" is no imperative`;
}

/** By its ending alone: a noun that ends in no such way is taken for a verb. */
function isImperative(verb) {
  return IMPERATIVES.test(verb) || !/(ed|ing|s)$/.test(verb);
}
