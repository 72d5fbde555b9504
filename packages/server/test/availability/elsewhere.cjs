// A stranger's machine: what it computes takes no processor from the service, so it runs when nothing else wants to.
const { once } = require('node:events');
const { createServer } = require('node:https');
const { Agent, get } = require('node:http');
const { setPriority } = require('node:os');

setPriority(19);

/** Hosts of TLS with these options. Tells of each handshake that has ended. */
async function host({ count, options }) {
  const hosts = Array.from({ length: count }, () => createServer(options).listen(0, '127.0.0.1'));
  const tell = () => process.send({ handshake: true });
  for (const one of hosts) one.on('secureConnection', tell).on('tlsClientError', tell);
  await Promise.all(hosts.map((one) => once(one, 'listening')));
  return hosts.map((one) => one.address().port);
}

/** Asks for a page again and again, over so many connections; gives how many were answered. */
async function ask({ url, at, milliseconds }) {
  const until = performance.now() + milliseconds;
  const agent = new Agent({ keepAlive: true, maxSockets: at });
  let answered = 0;
  const once = () =>
    new Promise((resolve, reject) => {
      get(url, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject);
    });
  const lane = async () => {
    for (; performance.now() < until; answered += 1) await once();
  };
  await Promise.all(Array.from({ length: at }, lane));
  agent.destroy();
  return answered;
}

process.on('message', async ({ number, task, ...of }) => {
  process.send({ number, result: await { host, ask }[task](of) });
});
process.on('disconnect', () => process.exit());
