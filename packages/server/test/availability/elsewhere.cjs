// A stranger's machine: what it computes takes no processor from the service, so it runs when nothing else wants to.
const { once } = require('node:events');
const { writeFileSync } = require('node:fs');
const { createServer } = require('node:https');
const { Agent, get } = require('node:http');
const { setPriority } = require('node:os');

setPriority(19);
// Linux shares the processor among sessions first, of which this is one.
try {
  writeFileSync('/proc/self/autogroup', '19');
} catch {
  // Another system, or one that does not.
}

/** Hosts of TLS with these options. Tells of each handshake that has ended. */
async function host({ count, options }) {
  const hosts = Array.from({ length: count }, () => createServer(options).listen(0, '127.0.0.1'));
  const tell = () => process.send({ handshake: true });
  for (const one of hosts) one.on('secureConnection', tell).on('tlsClientError', tell);
  await Promise.all(hosts.map((one) => once(one, 'listening')));
  return hosts.map((one) => one.address().port);
}

/** Asks for a page again and again, over so many connections, until it is time and enough were answered; gives how many were. */
async function ask({ url, at, milliseconds, least }) {
  const until = performance.now() + milliseconds;
  const agent = new Agent({ keepAlive: true, maxSockets: at });
  let answered = 0;
  const request = () =>
    new Promise((resolve) => {
      const done = () => resolve();
      get(url, { agent }, (answer) => {
        answer.resume().on('error', done).on('close', done);
        answered += 1;
      }).on('error', done);
    });
  const lane = async () => {
    while (performance.now() < until || answered < least) await request();
  };
  await Promise.all(Array.from({ length: at }, lane));
  agent.destroy();
  return answered;
}

process.on('message', async ({ number, task, ...of }) => {
  try {
    process.send({ number, result: await { host, ask }[task](of) });
  } catch (error) {
    process.send({ number, error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
