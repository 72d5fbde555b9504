import { Client } from './client.mjs';
import { Report } from './report.mjs';
import { Story } from './story.mjs';
import { Surprise } from './surprise.mjs';
import { Verifier } from './verify.mjs';

/** The server to drive: the first argument, else COUNTERSIGN_URL, else where `npm start` listens. */
function address() {
  const text = process.argv[2] ?? (process.env.COUNTERSIGN_URL || 'http://127.0.0.1:3000/v2');
  if (!URL.canParse(text) || !/^https?:\/\//.test(text)) {
    throw new Surprise(`${JSON.stringify(text)} is not the address of a server such as http://127.0.0.1:3000/v2`);
  }
  return text.replace(/\/+$/, '');
}

try {
  const url = address();
  console.log(`A tour of the ledger server at ${url}`);
  await new Story({ client: new Client(url), verifier: new Verifier(), report: new Report() }).tell();
  console.log('\nAll as expected.');
} catch (error) {
  console.error(error instanceof Surprise ? `\n${error.message}` : error);
  process.exitCode = 1;
}
