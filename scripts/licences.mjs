import { npm } from './npm.mjs';

/** Licences that every dependency may have (docs/decisions/0020-rules-that-tools-check.md). */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** Of what is shipped to nobody, neither by itself nor in the files of the console: a licence for the packages of that name. */
const SHIPPED_TO_NOBODY = [
  { name: /^isbot$/, licence: 'Unlicense' },
  { name: /^@iconify-json\/simple-icons$/, licence: 'CC0-1.0' },
  { name: /^axe-core$/, licence: 'MPL-2.0' },
  { name: /^argparse$/, licence: 'Python-2.0' },
  { name: /^lightningcss(-.*)?$/, licence: 'MPL-2.0' },
];

const shipped = new Set(components('--omit=dev').map(nameOf));
const all = components();
const faults = all
  .filter((one) => !isAllowed(one))
  .map((one) => `${nameOf(one)}: ${licencesOf(one).join(', ') || 'none'}`);
for (const fault of faults) console.error(fault);
console.log(
  `${all.length} dependencies, ${shipped.size} of them shipped, ${faults.length} with a licence that is not allowed`,
);
process.exitCode = all.length > 0 && faults.length === 0 ? 0 : 1;

/** What package-lock.json asks for, on every platform, as npm's bill of materials has it. */
function components(...options) {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--loglevel=error', ...options];
  const { status, stdout, stderr } = npm(args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`npm sbom: ${stderr}`);
  // biome-ignore lint/plugin: npm's own names, and nothing is compiled yet
  return JSON.parse(stdout).components;
}

function nameOf({ name, version }) {
  return `${name}@${version}`;
}

/** Names of licences, or an expression: what the package says in its own words is a name that is not allowed. */
function licencesOf({ licenses = [] }) {
  return licenses.map(({ license, expression }) => expression ?? license.id ?? license.name);
}

function isAllowed(component) {
  const licences = licencesOf(component);
  if (licences.length === 1 && choicesOf(licences[0]).some((one) => ALLOWED.includes(one))) return true;
  const isException = ({ name, licence }) => name.test(component.name) && licences.join() === licence;
  return SHIPPED_TO_NOBODY.some(isException) && !shipped.has(nameOf(component));
}

/** `(MIT OR CC0-1.0)` leaves the choice. */
function choicesOf(expression) {
  return expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
}
